import { Button } from '@mantine/core'
import type { getOwnAccount } from '@watchline/contracts/auth'
import type { ResponseOf } from '@watchline/contracts/operation'
import { useRef } from 'react'
import { asFailure } from '../../api/failure.ts'
import { useKeptFocus } from '../../ui/controls/use-kept-focus.ts'
import { formatCount, formatExactTime } from '../../ui/dates/format.ts'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import { SkeletonRows } from '../../ui/feedback/states.tsx'
import styles from './own-record.module.css'
import { useEndOtherOwnSessionsMutation, useEndOwnSessionMutation } from './own-record-api.ts'

type OwnSession = ResponseOf<typeof getOwnAccount>['sessions'][number]

/**
 * The open sign-ins, latest first, and the buttons that end them. `sessions` is undefined while it
 * loads.
 */
export function OwnSessions({ sessions }: { sessions: readonly OwnSession[] | undefined }) {
  const section = useRef<HTMLElement>(null)
  useKeptFocus(section)
  const alerts = useAlerts()
  const [endOthers, othersCall] = useEndOtherOwnSessionsMutation()
  const hasOthers = sessions?.some(({ current }) => !current)

  async function signOutOthers() {
    const { data, error } = await endOthers()
    if (data) alerts.succeed(`Signed out of ${formatCount(data.ended_sessions, 'other session')}`)
    else alerts.fail('The other sessions could not be ended', asFailure(error))
  }

  return (
    <section ref={section} tabIndex={-1} aria-labelledby="own-sessions">
      <div className={styles.bar}>
        <h2 id="own-sessions">Where you are signed in</h2>
        {hasOthers ? (
          <Button className={styles.noPrint} variant="default" onClick={signOutOthers} loading={othersCall.isLoading}>
            Sign out everywhere else
          </Button>
        ) : null}
      </div>
      {sessions ? (
        <>
          <ul className={styles.sessions}>
            {sessions.map(session => (
              <SessionRow key={session.id} session={session} />
            ))}
          </ul>
          <p className={styles.dim}>
            If you do not recognise a session, sign it out here and tell your administrator. The address is that of the
            sign-in.
          </p>
        </>
      ) : (
        <SkeletonRows rows={2} />
      )}
    </section>
  )
}

function SessionRow({
  session: { id, device, address, started_at, renewed_at, used_at, current },
}: {
  session: OwnSession
}) {
  const alerts = useAlerts()
  const [endSession, call] = useEndOwnSessionMutation()
  const name = device ?? 'Unknown device'

  async function signOut() {
    const { error } = await endSession({ params: { id } })
    // Not found: it ended meanwhile, and the list is reloaded.
    if (!error || asFailure(error).status === 404) alerts.succeed(`${name} is signed out`)
    else alerts.fail('The session could not be ended', asFailure(error))
  }

  return (
    <li>
      <div className={styles.sessionWords}>
        <strong>{current ? `${name} (this browser)` : name}</strong>
        <span className={styles.note}>
          Signed in {formatExactTime(started_at)}
          {address ? ` from ${address}` : null} · last active {formatExactTime(used_at ?? renewed_at)}
        </span>
      </div>
      {current ? null : (
        <Button
          className={styles.noPrint}
          variant="default"
          size="xs"
          onClick={signOut}
          loading={call.isLoading}
          aria-label={`Sign out ${name}, signed in ${formatExactTime(started_at)}`}
        >
          Sign out
        </Button>
      )}
    </li>
  )
}

import { Button } from '@mantine/core'
import type { Administrator } from '@watchline/contracts/administrators'
import { useRef, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { gateway } from '../../../api/gateway.ts'
import { useKeptFocus } from '../../../ui/controls/use-kept-focus.ts'
import { RelativeTime } from '../../../ui/dates/relative-time.tsx'
import { LoadFailed, SkeletonRows } from '../../../ui/feedback/states.tsx'
import { PersonLine } from '../../../ui/people/person-line.tsx'
import { EndSessionsButton } from '../people/end-sessions-button.tsx'
import settings from '../settings/settings.module.css'
import styles from './administrators.module.css'
import { useListAdministratorsQuery } from './administrators-api.ts'
import { InviteDialog } from './invite-dialog.tsx'
import { OpenInvitations } from './open-invitations.tsx'
import { RemoveButton } from './remove-button.tsx'

/** All administrators: inviting another, and removing one. */
export function AdministratorsSection() {
  const section = useRef<HTMLElement>(null)
  useKeptFocus(section)
  const list = useListAdministratorsQuery(undefined, { refetchOnMountOrArgChange: true })
  const [isInviting, setInviting] = useState(false)

  return (
    <section ref={section} tabIndex={-1} aria-labelledby="administrators">
      <div className={settings.bar}>
        <h2 id="administrators" className={settings.title}>
          Administrators
        </h2>
        <Button variant="default" ms="auto" onClick={() => setInviting(true)}>
          Invite administrator…
        </Button>
      </div>
      {list.data ? <AdministratorList administrators={list.data.administrators} /> : null}
      {list.data ? <OpenInvitations invitations={list.data.invitations} /> : null}
      {list.error ? (
        <LoadFailed
          message="Couldn’t load the administrators."
          failure={asFailure(list.error)}
          onRetry={list.refetch}
          retrying={list.isFetching}
          oldBelow={list.data !== undefined}
        />
      ) : null}
      {list.isLoading ? <SkeletonRows rows={2} /> : null}
      <InviteDialog opened={isInviting} onClose={() => setInviting(false)} />
    </section>
  )
}

function AdministratorList({ administrators }: { administrators: readonly Administrator[] }) {
  const { data: me } = gateway.endpoints.getSession.useQueryState()
  return (
    <ul className={styles.list} aria-label="Administrators">
      {administrators.map(administrator => (
        <li key={administrator.id} className={styles.row}>
          <div className={styles.person}>
            <PersonLine
              id={administrator.id}
              name={administrator.name}
              detail={administrator.email}
              verified={administrator.email_verified}
              isOwn={administrator.id === me?.id}
            />
          </div>
          <p className={styles.facts}>
            {describeSignIn(administrator)}
            <br />
            {administrator.last_seen ? (
              <>
                Last seen <RelativeTime time={administrator.last_seen} inline />
              </>
            ) : (
              'Not seen in the last 30 days'
            )}
          </p>
          {me && administrator.id !== me.id ? <EndSessionsButton person={administrator} isInList /> : null}
          {administrators.length > 1 ? (
            <RemoveButton administrator={administrator} isOwn={administrator.id === me?.id} />
          ) : null}
        </li>
      ))}
    </ul>
  )
}

function describeSignIn({ sign_in, second_factor }: Administrator): string {
  if (sign_in === 'provider') return 'Signs in through the sign-in provider'
  return second_factor ? 'Password and second factor' : 'Password only'
}

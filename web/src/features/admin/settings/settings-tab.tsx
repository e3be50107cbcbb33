import { Button } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { useState } from 'react'
import { Link } from 'react-router'
import { asFailure } from '../../../api/failure.ts'
import { usePolling } from '../../../api/polling.ts'
import { useGetVideoDataStatusQuery } from '../../../api/youtube-status.ts'
import { RelativeTime } from '../../../ui/dates/relative-time.tsx'
import { adminAddress } from '../admin-address.ts'
import { AdministratorsSection } from '../administrators/administrators-section.tsx'
import { MailSection } from './mail-section.tsx'
import { PasswordCard } from './password-card.tsx'
import styles from './settings.module.css'
import { useGetMailStatusQuery, useGetSystemStatusQuery } from './settings-api.ts'
import { SignInSecurity } from './sign-in-security.tsx'
import { StatusCard } from './status-card.tsx'
import { authenticationStatus, databaseStatus, mailStatus, type QueryResult, videoDataStatus } from './system-parts.tsx'

/**
 * The status of the parts of the system that an administrator can fix, and links to other
 * administration.
 */
export function SettingsTab() {
  const polling = { ...usePolling(limits.adminPollMs), refetchOnMountOrArgChange: true }
  const system = useGetSystemStatusQuery(undefined, polling)
  const videoData = useGetVideoDataStatusQuery(undefined, polling)
  const mail = useGetMailStatusQuery(undefined, polling)
  const [isChecking, setIsChecking] = useState(false)
  const checkedAt = Math.min(system.fulfilledTimeStamp ?? 0, videoData.fulfilledTimeStamp ?? 0)

  const systemParts = [
    {
      name: 'Video data',
      purpose: 'Reads titles and durations of playlists from YouTube.',
      status: videoDataStatus(resultOf(videoData)),
    },
    { name: 'Database', purpose: 'Stores all data of Watchline.', status: databaseStatus(resultOf(system)) },
    {
      name: 'Authentication',
      purpose: 'Signs in everybody except administrators.',
      status: authenticationStatus(resultOf(system)),
    },
    {
      name: 'Mail',
      purpose: 'Sends reminders and other notifications that people choose.',
      status: mailStatus(resultOf(mail)),
    },
  ]
  const isAllChecked = systemParts.every(({ status }) => status.condition !== 'asking')

  async function check() {
    setIsChecking(true)
    await Promise.all([system.refetch(), videoData.refetch(), mail.refetch()])
    setIsChecking(false)
  }

  return (
    <div className={styles.settings}>
      <section aria-labelledby="system-status">
        <div className={styles.bar}>
          <h2 id="system-status" className={styles.title}>
            System status
          </h2>
          {checkedAt > 0 && !system.error && !videoData.error ? (
            <p className={styles.dim}>
              Checked <RelativeTime time={new Date(checkedAt).toISOString()} inline />
            </p>
          ) : null}
          <Button variant="default" onClick={check} aria-disabled={isChecking} ms="auto">
            {isChecking ? 'Checking…' : 'Check again'}
          </Button>
        </div>
        <div className={styles.cards}>
          {systemParts.map(part => (
            <StatusCard key={part.name} {...part} />
          ))}
        </div>
        <p role="status" className="wl-hidden">
          {isAllChecked ? systemParts.map(({ name, status }) => `${name}: ${status.word}`).join(', ') : ''}
        </p>
      </section>
      <section aria-labelledby="administration">
        <h2 id="administration" className={styles.title}>
          Administration
        </h2>
        <ul className={styles.links}>
          <li className={styles.card}>
            <Link to={adminAddress.audit} className={styles.name}>
              Audit log
            </Link>
            <p className={styles.dim}>Who changed what, and when: every act of an administrator.</p>
          </li>
          <li className={styles.card}>
            <Link to={adminAddress.import} className={styles.name}>
              Import people
            </Link>
            <p className={styles.dim}>Import many people at once, with their roles and teams, from a CSV file.</p>
          </li>
          <li className={styles.card}>
            <Link to={adminAddress.rules} className={styles.name}>
              Roles from your sign-in provider
            </Link>
            <p className={styles.dim}>
              Give people their role and team at every sign-in, by the groups they have at your sign-in provider.
            </p>
          </li>
        </ul>
      </section>
      <MailSection />
      <AdministratorsSection />
      <SignInSecurity />
      <PasswordCard />
    </div>
  )
}

/** Leaves out data from before a failure, because it may no longer be true. */
function resultOf<T>({ data, error }: { data?: T; error?: unknown }): QueryResult<T> {
  return error ? { failure: asFailure(error) } : { data }
}

import { Button } from '@mantine/core'
import { exportOwnRecord } from '@watchline/contracts/engagement'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useListDetailViewsQuery } from '../../api/detail-views.ts'
import { asFailure } from '../../api/failure.ts'
import { homeOf, type Person } from '../../api/signed-in-person.ts'
import { formatDate, formatExactTime } from '../../ui/dates/format.ts'
import { LoadFailed, SkeletonRows } from '../../ui/feedback/states.tsx'
import { DownloadButton } from '../../ui/files/download-button.tsx'
import { ScreenTitle } from '../../ui/frame/screen-title.tsx'
import { FactsTable } from '../../ui/lists/facts-table.tsx'
import { PersonalDataButtons } from '../../ui/people/personal-data-buttons.tsx'
import { RoleBadge } from '../../ui/people/role-badge.tsx'
import { SignedRecordButton } from '../../ui/tasks/signed-record-button.tsx'
import { DetailViews } from './detail-views.tsx'
import styles from './own-record.module.css'
import {
  useCountOwnMessagesQuery,
  useCountOwnNotificationsQuery,
  useCountOwnSessionsQuery,
  useGetOwnAccountQuery,
  useGetOwnRecordQuery,
  useGetPrivacyNoticeQuery,
  useGetProfileQuery,
} from './own-record-api.ts'
import { OwnSessions } from './own-sessions.tsx'
import { describeStoredData } from './stored-data.ts'
import { WatchRecord } from './watch-record.tsx'

const refetchOnOpen = { refetchOnMountOrArgChange: true }

/** All that Watchline stores of the signed-in person, to read, to download and to print. */
export function OwnRecordPage({ person, noticeAnswer }: { person: Person; noticeAnswer?: ReactNode }) {
  const profile = useGetProfileQuery(undefined, refetchOnOpen)
  const account = useGetOwnAccountQuery(undefined, refetchOnOpen)
  const sessions = useCountOwnSessionsQuery(undefined, refetchOnOpen)
  const record = useGetOwnRecordQuery(undefined, refetchOnOpen)
  const messages = useCountOwnMessagesQuery(undefined, refetchOnOpen)
  const notifications = useCountOwnNotificationsQuery(undefined, refetchOnOpen)
  const views = useListDetailViewsQuery({}, refetchOnOpen)
  const privacy = useGetPrivacyNoticeQuery(undefined, refetchOnOpen)
  const queries = [profile, account, sessions, record, messages, notifications, views, privacy]
  const failed = queries.filter(({ error }) => error !== undefined)

  const missing = queries.some(({ isFetching }) => isFetching) ? '…' : 'Not known right now'
  const stored = describeStoredData(person.role, {
    account: account.data,
    sessions: sessions.data,
    record: record.data,
    messages: messages.data,
    notifications: notifications.data,
    retention: privacy.data?.retention,
    missing,
  })
  return (
    <article className={styles.page}>
      <ScreenTitle name="What is recorded about me" />
      <p className={styles.noPrint}>
        <Link to={homeOf(person)}>
          <span aria-hidden="true">←</span> Back to Dashboard
        </Link>
      </p>
      <header>
        <h1>What is recorded about me</h1>
        <p className={styles.dim}>
          Only you can open this page. It shows the state of {formatExactTime(new Date().toISOString())}.
        </p>
      </header>
      {failed[0] ? (
        <LoadFailed
          message="Couldn’t load a part of your record."
          failure={asFailure(failed[0].error)}
          retrying={failed.some(({ isFetching }) => isFetching)}
          onRetry={() => {
            for (const query of failed) void query.refetch()
          }}
        />
      ) : null}

      <section aria-labelledby="own-profile">
        <h2 id="own-profile">Profile</h2>
        <dl className={styles.terms}>
          <Term name="Name">{person.name}</Term>
          <Term name="Email">{person.email}</Term>
          <Term name="Role">
            <RoleBadge role={person.role} />
          </Term>
          {person.role === 'user' ? <Term name="Supervisor">{person.supervisor?.name ?? 'No team'}</Term> : null}
          <Term name="Recorded since">{profile.data ? formatDate(profile.data.created_at) : missing}</Term>
        </dl>
      </section>

      {account.data || !account.error ? <OwnSessions sessions={account.data?.sessions} /> : null}

      <section aria-labelledby="stored-data" data-waits={account.isLoading || undefined}>
        <div className={styles.bar}>
          <h2 id="stored-data">What is stored, and who can see it</h2>
          <div className={`${styles.actions} ${styles.noPrint}`}>
            <PersonalDataButtons />
          </div>
        </div>
        <p className={`${styles.dim} ${styles.beforeTable}`}>
          The table says who sees it on screens. Administrators can also download all of it; you find each download
          under “Who looked at my details”.
        </p>
        <FactsTable
          label="Stored data"
          columns={['What', 'How much', 'Who sees it', 'Kept']}
          rows={stored.map(({ kind, amount, visibleTo, keptFor }) => [kind, amount, visibleTo, keptFor])}
        />
      </section>

      {noticeAnswer}

      {views.data || !views.error ? <DetailViews views={views.data?.items} /> : null}

      <section aria-labelledby="own-watching">
        <div className={styles.bar}>
          <h2 id="own-watching">My watch record</h2>
          <div className={`${styles.actions} ${styles.noPrint}`}>
            <SignedRecordButton userId={person.id} />
            <Button variant="default" onClick={() => window.print()}>
              Print
            </Button>
            <DownloadButton
              path={exportOwnRecord.path}
              fileName="my-record"
              failText="Your record could not be downloaded. Please try again."
            >
              Download CSV
            </DownloadButton>
          </div>
        </div>
        {record.data ? (
          <WatchRecord playlists={record.data.playlists} />
        ) : record.error ? null : (
          <SkeletonRows rows={4} height={40} />
        )}
      </section>
    </article>
  )
}

function Term({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

import type { EngagementRecord } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { Role } from '@watchline/contracts/people'
import { useId } from 'react'
import { Link } from 'react-router'
import { asFailure } from '../../api/failure.ts'
import { usePolling } from '../../api/polling.ts'
import { formatPercent } from '../../ui/dates/format.ts'
import { RelativeTime } from '../../ui/dates/relative-time.tsx'
import { Loaded, SkeletonCard } from '../../ui/feedback/states.tsx'
import listStyles from '../../ui/lists/list.module.css'
import styles from './analytics.module.css'
import { type TeamScope, useGetEngagementDashboardQuery } from './analytics-api.ts'

const recordCount = 5

/**
 * The team's latest records, whose times and videos the figures of GET /engagement/team do not
 * have. One short page, so that a poll stays small.
 */
export function LatestWatching({ viewerRole, scope }: { viewerRole: Role; scope: TeamScope }) {
  const titleId = useId()
  const { data, error, isFetching, refetch } = useGetEngagementDashboardQuery(
    { query: { ...scope, limit: recordCount } },
    usePolling(limits.teamPollMs),
  )
  const content = data && <Records viewerRole={viewerRole} records={data.items} />
  return (
    <section aria-labelledby={titleId} className={styles.history} aria-busy={isFetching}>
      <h2 id={titleId} className={styles.historyTitle}>
        Latest watching
      </h2>
      <Loaded
        message="Couldn’t load the latest watching."
        failure={error && asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
        placeholder={<SkeletonCard height={152} />}
      >
        {content}
      </Loaded>
    </section>
  )
}

function Records({ viewerRole, records }: { viewerRole: Role; records: readonly EngagementRecord[] }) {
  if (records.length === 0)
    return (
      <p className={listStyles.dim}>
        Nobody in this team has watched anything yet. {/* Supervisors assign what their manager shares. */}
        <Link to="?tab=playlists">{viewerRole === 'manager' ? 'Share' : 'Assign'} a playlist</Link>
      </p>
    )
  return (
    <ul className={styles.records}>
      {records.map(({ id, user_name, video_title, completion_rate, last_updated }) => (
        <li key={id} className={styles.record}>
          <span className={styles.recordNames}>
            <strong>{user_name ?? 'Deleted person'}</strong> · {video_title ?? 'Removed video'}
          </span>
          <span className={styles.recordRate}>{formatPercent(completion_rate)}</span>
          <span className={styles.recordTime}>
            <RelativeTime time={last_updated} />
          </span>
        </li>
      ))}
    </ul>
  )
}

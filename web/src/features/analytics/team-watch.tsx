import { Button } from '@mantine/core'
import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { OnlineSummary } from '@watchline/contracts/presence'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { usePolling } from '../../api/polling.ts'
import { NoCompletion } from '../../ui/completion-bar.tsx'
import { formatCount, formatPercent, formatWatchTime } from '../../ui/format.ts'
import listStyles from '../../ui/list.module.css'
import { PersonLine } from '../../ui/person-line.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState, LoadFailed, SkeletonRows } from '../../ui/states.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { mostFigures, type TeamPage, useGetTeamQuery } from './analytics-api.ts'
import { MemberCompletion, Videos } from './member-list.tsx'
import styles from './team-watch.module.css'
import { teamOnWatch, type Watched } from './watch-order.ts'

interface TeamWatchProps {
  online: { summary?: OnlineSummary; failed: boolean }
  /** Shows one member in detail. */
  onOpen: (member: Pick<MemberAnalytics, 'user_id' | 'name' | 'email'>) => void
}

const step = 50

/** The team beside a monitoring session: who is watching what right now, whoever needs a look first. */
export function TeamWatch({ online, onOpen }: TeamWatchProps) {
  const { data: team, error, isFetching, refetch } = useGetTeamQuery(mostFigures, usePolling(limits.teamPollMs))
  const content = team && (
    <>
      <Figures team={team} monitoring={online.summary && countMonitoring(online.summary)} />
      {online.failed ? (
        <p className={listStyles.dim} role="status">
          Who is online could not be loaded{online.summary ? '; the statuses below are from before' : ''}. It is tried
          again by itself.
        </p>
      ) : null}
      <Members team={team} online={online.summary} onOpen={onOpen} />
    </>
  )
  if (!error) return content ?? <SkeletonRows rows={5} height={120} />
  return (
    <LoadFailed
      message="The team could not be loaded. Please try again."
      failure={asFailure(error)}
      onRetry={refetch}
      retrying={isFetching}
    >
      {content}
    </LoadFailed>
  )
}

/** Of the team; the summary counts whoever of the staff is in a session, too. */
function countMonitoring({ users }: OnlineSummary): number {
  return users.filter(({ role, status }) => role === 'user' && status === 'monitoring').length
}

function Figures({ team, monitoring }: { team: TeamPage; monitoring: number | undefined }) {
  return (
    <dl className={styles.figures}>
      <div>
        <dt>Members</dt>
        <dd>{team.team_count.toLocaleString()}</dd>
      </div>
      <div>
        <dt>Monitoring</dt>
        <dd>{monitoring?.toLocaleString() ?? '–'}</dd>
      </div>
      <div>
        <dt>Avg. completion</dt>
        <dd>{formatPercent(team.average_completion)}</dd>
      </div>
    </dl>
  )
}

function Members({ team, online, onOpen }: { team: TeamPage; online: OnlineSummary | undefined } & Opens) {
  const [count, setCount] = useState(step)
  const members = teamOnWatch(team.members, online)
  if (members.length === 0)
    return (
      <EmptyState title="No team members assigned">
        Contact your administrator to assign users to your supervision
      </EmptyState>
    )
  const shown = members.slice(0, count)
  return (
    <>
      <ul className={styles.list} aria-label="Team, by who needs a look">
        {shown.map(member => (
          <Member key={member.userId} member={member} onOpen={onOpen} />
        ))}
      </ul>
      {shown.length < members.length ? (
        <Button variant="default" size="xs" fullWidth onClick={() => setCount(count + step)}>
          Show more
        </Button>
      ) : null}
      {team.nextCursor ? (
        <p className={listStyles.dim}>
          Of {formatCount(team.team_count, 'person', 'people')}, the first {team.members.length} and whoever is online
          are listed. Everybody is in the dashboard’s Team Members.
        </p>
      ) : null}
    </>
  )
}

type Opens = Pick<TeamWatchProps, 'onOpen'>

function Member({ member, onOpen }: { member: Watched } & Opens) {
  const { userId, name, email, picture, status, playlist, figures, lastActivity, reasons } = member
  return (
    <li
      className={styles.member}
      data-look={status === 'monitoring' && reasons.some(reason => reason !== 'low') ? true : undefined}
    >
      <div className={styles.top}>
        <button
          type="button"
          className={`${listStyles.opener} ${styles.opener}`}
          aria-haspopup="dialog"
          onClick={() => onOpen({ user_id: userId, name, email })}
        >
          <PersonLine name={name} detail={playlist ?? email} picture={picture} />
        </button>
        {status === 'unknown' ? <span className={listStyles.dim}>Not known</span> : <StatusDot status={status} />}
      </div>
      {figures ? <MemberCompletion member={figures} /> : <NoCompletion>Completion not known here</NoCompletion>}
      <div className={styles.facts}>
        {figures ? (
          <>
            <span>{formatWatchTime(figures.watch_time)} watched</span>
            <span>
              <Videos member={figures} /> videos
            </span>
          </>
        ) : null}
        <span>
          {lastActivity ? (
            <>
              last activity <RelativeTime time={lastActivity} />
            </>
          ) : (
            'no activity yet'
          )}
        </span>
        {figures && figures.notes > 0 ? (
          <span className={styles.reason}>{formatCount(figures.notes, 'note')}</span>
        ) : null}
        {reasons.includes('quiet') ? <span className={styles.reason}>Player is silent</span> : null}
      </div>
    </li>
  )
}

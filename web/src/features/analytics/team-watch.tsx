import { Button } from '@mantine/core'
import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { OnlineSummary } from '@watchline/contracts/presence'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { type TeamPage, useGetTeamQuery } from '../../api/lists.ts'
import { usePolling } from '../../api/polling.ts'
import { useTeamFigures } from '../../api/team-figures.ts'
import { NoCompletion } from '../../ui/completion-bar.tsx'
import { formatCount, formatPercent, formatWatchTime } from '../../ui/format.ts'
import listStyles from '../../ui/list.module.css'
import { CompletedVideos, LabelledLastActivity, MemberCompletion } from '../../ui/member-figures.tsx'
import type { Online } from '../../ui/online-status.ts'
import { openableRow } from '../../ui/openable-row.ts'
import { PersonButton } from '../../ui/person-line.tsx'
import { EmptyState, LoadFailed, SkeletonRows } from '../../ui/states.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { largestTeamPage } from './analytics-api.ts'
import styles from './team-watch.module.css'
import { orderByNeed, type WatchedMember } from './watch-order.ts'

interface TeamWatchProps {
  online: Online
  /** Opens a member's detail. */
  onOpen: (member: Pick<MemberAnalytics, 'user_id' | 'name' | 'email'>) => void
}

const countStep = 50

/** The team beside a monitored session. Members who need attention come first. */
export function TeamWatch({ online, onOpen }: TeamWatchProps) {
  const { data: team, error, isFetching, refetch } = useGetTeamQuery(largestTeamPage, usePolling(limits.teamPollMs))
  const unlistedIds = team ? findUnlisted(team, online.summary) : []
  const unlisted = useTeamFigures(unlistedIds).members
  const extraMembers = unlistedIds.flatMap(id => unlisted?.get(id) ?? [])
  const content = team && (
    <>
      <TeamSummary team={team} monitoring={online.summary && countMonitoring(online.summary)} />
      {online.failed ? (
        <p className={listStyles.dim} role="status">
          Couldn’t load the online list{online.summary ? '; the statuses below are the last known ones' : ''}. Retrying
          automatically.
        </p>
      ) : null}
      <TeamList team={team} extraMembers={extraMembers} online={online.summary} onOpen={onOpen} />
    </>
  )
  if (!error) return content ?? <SkeletonRows rows={5} height={120} />
  return (
    <LoadFailed message="Couldn’t load the team." failure={asFailure(error)} onRetry={refetch} retrying={isFetching}>
      {content}
    </LoadFailed>
  )
}

/** Ids of the online trainees whom the page does not contain. */
function findUnlisted({ members }: TeamPage, online: OnlineSummary | undefined): string[] {
  const listedIds = new Set(members.map(({ user_id }) => user_id))
  return (online?.users ?? []).flatMap(({ user_id, role }) =>
    role === 'user' && !listedIds.has(user_id) ? [user_id] : [],
  )
}

/** Counts trainees only, because the summary's own count includes staff. */
function countMonitoring({ users }: OnlineSummary): number {
  return users.filter(({ role, status }) => role === 'user' && status === 'monitoring').length
}

function TeamSummary({ team, monitoring }: { team: TeamPage; monitoring: number | undefined }) {
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

interface TeamListProps extends OpenProps {
  team: TeamPage
  /** Online people whom the page of the team does not contain. */
  extraMembers: readonly MemberAnalytics[]
  online: OnlineSummary | undefined
}

function TeamList({ team, extraMembers, online, onOpen }: TeamListProps) {
  const [count, setCount] = useState(countStep)
  const members = orderByNeed([...team.members, ...extraMembers], online)
  if (members.length === 0)
    return (
      <EmptyState title="No team members assigned">
        Contact your administrator to assign users to your supervision
      </EmptyState>
    )
  const listedMembers = members.slice(0, count)
  return (
    <>
      <ul className={styles.list} aria-label="Team, by who needs attention">
        {listedMembers.map(member => (
          <MemberItem key={member.userId} member={member} onOpen={onOpen} />
        ))}
      </ul>
      {listedMembers.length < members.length ? (
        <Button variant="default" size="xs" fullWidth onClick={() => setCount(count + countStep)}>
          Show more
        </Button>
      ) : null}
      {team.nextCursor ? (
        <p className={listStyles.dim}>
          This list shows the first {team.members.length} of {formatCount(team.team_count, 'person', 'people')} and
          everyone who is online. Team Members on the dashboard lists all of them.
        </p>
      ) : null}
    </>
  )
}

type OpenProps = Pick<TeamWatchProps, 'onOpen'>

function MemberItem({ member, onOpen }: { member: WatchedMember } & OpenProps) {
  const { userId, name, email, picture, status, playlist, figures, lastActivity, reasons } = member
  return (
    <li
      {...openableRow}
      className={styles.member}
      data-look={status === 'monitoring' && reasons.some(reason => reason !== 'low') ? true : undefined}
    >
      <div className={styles.top}>
        <PersonButton
          className={styles.opener}
          id={userId}
          name={name}
          detail={playlist ?? email}
          picture={picture}
          onOpen={() => onOpen({ user_id: userId, name, email })}
        />
        {status === 'unknown' ? <span className={listStyles.dim}>Not known</span> : <StatusDot status={status} />}
      </div>
      {figures ? <MemberCompletion member={figures} /> : <NoCompletion>Completion unknown</NoCompletion>}
      <div className={styles.facts}>
        {figures ? (
          <>
            <span>{formatWatchTime(figures.watch_time)} watched</span>
            <span>
              <CompletedVideos completed={figures.completed_videos} total={figures.total_videos} /> videos
            </span>
          </>
        ) : null}
        <LabelledLastActivity time={lastActivity} />
        {figures && figures.notes > 0 ? (
          <span className={styles.reason}>{formatCount(figures.notes, 'note')}</span>
        ) : null}
        {reasons.includes('quiet') ? <span className={styles.reason}>Player is silent</span> : null}
      </div>
    </li>
  )
}

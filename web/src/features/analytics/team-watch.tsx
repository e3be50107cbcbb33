import { Button } from '@mantine/core'
import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { Role } from '@watchline/contracts/people'
import type { OnlineSummary } from '@watchline/contracts/presence'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { type TeamPage, useGetTeamQuery } from '../../api/lists.ts'
import { usePolling } from '../../api/polling.ts'
import { useTeamFigures } from '../../api/team-figures.ts'
import { formatCount, formatNumber, formatWatchTime } from '../../ui/dates/format.ts'
import { EmptyState, Loaded, SkeletonRows } from '../../ui/feedback/states.tsx'
import listStyles from '../../ui/lists/list.module.css'
import { openableRow } from '../../ui/lists/openable-row.ts'
import { CompletedVideos, LabelledLastActivity, MemberCompletion } from '../../ui/people/member-figures.tsx'
import { describeCounted, isComplete, type Online } from '../../ui/people/online-status.ts'
import { PersonButton } from '../../ui/people/person-line.tsx'
import { StatusDot } from '../../ui/people/status-dot.tsx'
import { formatAverage } from '../../ui/progress/completion-band.ts'
import { NoCompletion } from '../../ui/progress/completion-bar.tsx'
import { largestTeamPage } from './analytics-api.ts'
import styles from './team-watch.module.css'
import { orderByNeed, type WatchedMember } from './watch-order.ts'

interface TeamWatchProps {
  viewerRole: Role
  online: Online
  /** Opens a member's detail. */
  onOpen: (member: Pick<MemberAnalytics, 'user_id' | 'name' | 'email'>) => void
}

const countStep = 50

/** The team beside a monitored session. Members who need attention come first. */
export function TeamWatch({ viewerRole, online, onOpen }: TeamWatchProps) {
  const { data: team, error, isFetching, refetch } = useGetTeamQuery(largestTeamPage, usePolling(limits.teamPollMs))
  const unlistedIds = team ? findUnlisted(team, online.summary) : []
  const unlisted = useTeamFigures(unlistedIds).members
  const extraMembers = unlistedIds.flatMap(id => unlisted?.get(id) ?? [])
  const content = team && (
    <>
      <TeamSummary team={team} viewerRole={viewerRole} online={online.summary} />
      {online.failed ? (
        <p className={listStyles.dim} role="status">
          Couldn’t load the online list{online.summary ? '; the statuses below are the last known ones' : ''}. Retrying
          automatically.
        </p>
      ) : null}
      <TeamList
        team={team}
        extraMembers={extraMembers}
        withoutFigures={Math.max(0, unlistedIds.length - limits.idListMax)}
        online={online.summary}
        onOpen={onOpen}
      />
    </>
  )
  return (
    <Loaded
      message="Couldn’t load the team."
      failure={error && asFailure(error)}
      onRetry={refetch}
      retrying={isFetching}
      placeholder={<SkeletonRows rows={5} height={120} />}
    >
      {content}
    </Loaded>
  )
}

/** Ids of the online trainees whom the page does not contain. */
function findUnlisted({ members }: TeamPage, online: OnlineSummary | undefined): string[] {
  const listedIds = new Set(members.map(({ user_id }) => user_id))
  return (online?.users ?? []).flatMap(({ user_id, role }) =>
    role === 'user' && !listedIds.has(user_id) ? [user_id] : [],
  )
}

interface TeamSummaryProps {
  team: TeamPage
  viewerRole: Role
  online: OnlineSummary | undefined
}

/**
 * The summary's own count stays right if its list is cut. It includes leaders, so a note says so.
 */
function TeamSummary({ team, viewerRole, online }: TeamSummaryProps) {
  return (
    <>
      <dl className={styles.figures}>
        <div>
          <dt>Members</dt>
          <dd>{formatNumber(team.team_count)}</dd>
        </div>
        <div>
          <dt>Monitoring</dt>
          <dd>{formatNumber(online?.monitoring_count) ?? '–'}</dd>
        </div>
        <div>
          <dt>Avg. completion</dt>
          <dd>{formatAverage(team)}</dd>
        </div>
      </dl>
      {/* Below the figures, because the columns of a narrow panel have no room for sentences. */}
      <p className={styles.note}>
        {online ? `Monitoring: ${describeCounted(viewerRole, online, 'monitoring')}. ` : ''}People without tasks count
        as 0%.
      </p>
    </>
  )
}

interface TeamListProps extends OpenProps {
  team: TeamPage
  /** Online people whom the page of the team does not contain. */
  extraMembers: readonly MemberAnalytics[]
  /** The number of online people without a loaded completion. */
  withoutFigures: number
  online: OnlineSummary | undefined
}

function TeamList({ team, extraMembers, withoutFigures, online, onOpen }: TeamListProps) {
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
          This list shows the first {team.members.length} of {formatCount(team.team_count, 'person', 'people')} and{' '}
          {describeOnlineListed(online)}. Team Members on the dashboard lists all of them.
          {withoutFigures > 0
            ? ` The completion of ${formatCount(withoutFigures, 'person', 'people')} is not loaded; open a person to see it.`
            : null}
        </p>
      ) : null}
    </>
  )
}

function describeOnlineListed(online: OnlineSummary | undefined): string {
  if (!online || isComplete(online)) return 'everyone who is online'
  return `the latest ${formatNumber(online.users.length)} of ${formatCount(online.total_online, 'person', 'people')} online`
}

type OpenProps = Pick<TeamWatchProps, 'onOpen'>

function MemberItem({ member, onOpen }: { member: WatchedMember } & OpenProps) {
  const { userId, name, email, emailVerified, picture, status, playlist, figures, lastActivity, reasons } = member
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
          verified={playlist === undefined ? emailVerified : undefined}
          picture={picture}
          onOpen={() => onOpen({ user_id: userId, name, email })}
        />
        {status === 'unknown' ? <span className={listStyles.dim}>Not known</span> : <StatusDot status={status} />}
      </div>
      {figures ? <MemberCompletion member={figures} /> : <NoCompletion>Completion unknown</NoCompletion>}
      <div className={styles.facts}>
        {figures ? (
          <>
            <span>watch time {formatWatchTime(figures.watch_time)}</span>
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

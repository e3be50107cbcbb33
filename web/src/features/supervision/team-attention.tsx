import { Button, Skeleton } from '@mantine/core'
import type { ListedProgress, MemberAnalytics, RiskReason } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { ReactNode } from 'react'
import { type TeamPage, useGetTeamQuery } from '../../api/lists.ts'
import { usePolling } from '../../api/polling.ts'
import { formatCount, formatNumber } from '../../ui/dates/format.ts'
import { deferred } from '../../ui/feedback/deferred.tsx'
import listStyles from '../../ui/lists/list.module.css'
import { isListedAs, listedProgressNames } from '../../ui/progress/listed-progress.ts'
import { riskReasonNames } from '../../ui/tasks/risk-reason.ts'
import styles from './supervision.module.css'

export type OpenMember = (member: Pick<MemberAnalytics, 'user_id' | 'name' | 'email'>) => void

/** Comments that wait for the caller's review; count is undefined until it is known. */
export interface PendingReviews {
  count: number | undefined
  onReview: () => void
}

/** Reminds people of today's unfinished task. */
export interface Reminding {
  remind: (people: readonly { id: string; name: string }[]) => void
  /** Reminds everybody on this list. */
  remindListed: (progress: ListedProgress) => void
  isReminding: boolean
}

interface TeamAttentionProps {
  /** The first page of the team; undefined until it is known. */
  team: TeamPage | undefined
  /** The first page could not be loaded. */
  failed: boolean
  /** Absent for those who review no comments. */
  reviews: PendingReviews | undefined
  reminding: Reminding
  onOpenMember: OpenMember
  /** Opens the whole list. */
  onShowAll: (progress: ListedProgress) => void
  /** Opens the list of tasks at risk for this reason. */
  onShowTasks: (reason: RiskReason) => void
}

const shownPeople = 4
/** Whether the data that set the height of this part have loaded. */
export function useAttentionLoaded(team: TeamPage | undefined): boolean {
  const polling = usePolling(limits.teamPollMs)
  const optionsOf = (isShown: boolean) => ({ ...polling, skip: team === undefined || !isShown })
  const overdue = useGetTeamQuery(queryOf('overdue'), optionsOf(Boolean(team?.overdue_count)))
  const stalled = useGetTeamQuery(queryOf('stalled'), optionsOf(team?.stalled_count !== 0))
  const finished = useGetTeamQuery(queryOf('finished'), optionsOf(team?.finished_count !== 0))
  return team !== undefined && [overdue, stalled, finished].every(({ isLoading }) => !isLoading)
}

const queryOf = (progress: ListedProgress) => ({ query: { progress, limit: shownPeople } })
const stalledDays = Math.round(limits.stalledAfterMs / (24 * 3600_000))

/** Answers at first sight who waits for the caller, who is stuck and who is done. */
export const TeamAttention = deferred(function TeamAttention({
  team,
  failed,
  reviews,
  reminding,
  onOpenMember,
  onShowAll,
  onShowTasks,
}: TeamAttentionProps) {
  // Without data the Engagement tab says why, and tries again.
  if (!team && failed && !reviews) return null
  return (
    <section className={styles.attention} aria-label="At a glance">
      {reviews ? <Reviews {...reviews} /> : null}
      {team ? (
        <>
          {team.overdue_count ? (
            <People
              team={team}
              progress="overdue"
              note="The due date of a task has passed."
              emptyText=""
              needsYou
              reminding={reminding}
              onOpenMember={onOpenMember}
              onShowAll={onShowAll}
            >
              <RiskButtons team={team} onShowTasks={onShowTasks} />
            </People>
          ) : (
            <TasksAtRisk team={team} onShowTasks={onShowTasks} />
          )}
          <People
            team={team}
            progress="stalled"
            note={`Unfinished, and no activity for ${stalledDays} days.`}
            emptyText="Nobody is stuck."
            needsYou
            reminding={reminding}
            onOpenMember={onOpenMember}
            onShowAll={onShowAll}
          />
          <People
            team={team}
            progress="finished"
            note={describeDone(team)}
            emptyText="Nobody is done yet."
            onOpenMember={onOpenMember}
            onShowAll={onShowAll}
          />
        </>
      ) : failed ? null : (
        <AwaitedAnswers />
      )}
    </section>
  )
})

/** The three cards of most teams, while their figures are loading. */
function AwaitedAnswers() {
  return [1, 2, 3].map(card => (
    <div key={card} className={`${styles.answer} ${styles.awaitedAnswer}`} data-awaited aria-hidden="true">
      <Skeleton height={24} width="60%" />
      <Skeleton className={styles.awaitedName} width={220} />
    </div>
  ))
}

type RiskProps = Pick<TeamAttentionProps, 'onShowTasks'> & { team: TeamPage }

/** The reasons beside an overdue due date, which has a card of its own. */
const otherReasons = ['behind', 'not_started'] as const

function TasksAtRisk({ team, onShowTasks }: RiskProps) {
  const count = otherReasons.reduce((sum, reason) => sum + (team.tasks_at_risk?.[reason] ?? 0), 0)
  if (count === 0) return null
  return (
    <Answer title="Tasks at risk" count={count} needsYou>
      <RiskButtons team={team} onShowTasks={onShowTasks} />
    </Answer>
  )
}

function RiskButtons({ team, onShowTasks }: RiskProps) {
  const reasons = otherReasons.filter(reason => (team.tasks_at_risk?.[reason] ?? 0) > 0)
  if (reasons.length === 0) return null
  return (
    <span className={styles.names}>
      {reasons.map(reason => (
        <Button key={reason} variant="subtle" size="compact-sm" onClick={() => onShowTasks(reason)}>
          {riskReasonNames[reason]}: {formatCount(team.tasks_at_risk?.[reason] ?? 0, 'task')}
        </Button>
      ))}
    </span>
  )
}

/** Earlier versions of the server do not count who is done, or for whom a task was marked. */
function describeDone({
  finished_count: count,
  finished_by_hand_count: byHand = 0,
  team_count: size,
}: TeamPage): string {
  if (count === undefined) return 'They have nothing left to watch.'
  const summary = `${formatNumber(count)} of ${formatNumber(size)} ${count === 1 ? 'has' : 'have'} nothing left to watch.`
  if (byHand === 0) return summary
  return `${summary} For ${formatNumber(byHand)} of them, a task was marked as done by hand.`
}

function Reviews({ count, onReview }: PendingReviews) {
  return (
    <Answer title="Waiting for you" count={count} needsYou={Boolean(count)}>
      <div className={styles.reviews}>
        {count === undefined ? <Skeleton className={styles.awaitedName} width={220} /> : null}
        {count === 0 ? 'No comment waits for your review.' : null}
        {count ? (
          <Button variant="default" size="xs" onClick={onReview}>
            Review {formatCount(count, 'comment')}
          </Button>
        ) : null}
      </div>
    </Answer>
  )
}

interface PeopleProps extends Pick<TeamAttentionProps, 'onOpenMember' | 'onShowAll'> {
  team: TeamPage
  progress: ListedProgress
  note: string
  emptyText: string
  needsYou?: boolean
  /** Present if these people can be reminded. */
  reminding?: Reminding
  /** Stands below the people. */
  children?: ReactNode
}

function People({ team, progress, note, emptyText, needsYou, reminding, children, ...actions }: PeopleProps) {
  const { onOpenMember, onShowAll } = actions
  const count = countOf(team, progress)
  const { data: list, error } = useGetTeamQuery(queryOf(progress), {
    ...usePolling(limits.teamPollMs),
    skip: count === 0,
  })
  const shown = list?.members.filter(member => isListedAs(member, progress)) ?? []
  const hiddenCount = (count ?? shown.length) - shown.length
  const awaitedCount = Math.min(count ?? 0, shownPeople + 1)
  return (
    <Answer title={listedProgressNames[progress]} count={count} needsYou={needsYou && count !== 0}>
      {count === 0 ? (
        emptyText
      ) : (
        <>
          <span>{note}</span>
          <span className={`${styles.names} ${styles.people}`} data-with-buttons={reminding !== undefined || undefined}>
            {list || error ? null : <AwaitedNames count={awaitedCount} />}
            {shown.map(member => (
              <span key={member.user_id} className={styles.person}>
                <Button variant="subtle" size="compact-sm" aria-haspopup="dialog" onClick={() => onOpenMember(member)}>
                  <span className={`${listStyles.cut} ${styles.personName}`} title={member.name}>
                    {member.name}
                  </span>
                </Button>
                {reminding ? (
                  <RemindButton
                    label={`Remind ${member.name}`}
                    isReminding={reminding.isReminding}
                    onRemind={() => reminding.remind([{ id: member.user_id, name: member.name }])}
                  >
                    Remind
                  </RemindButton>
                ) : null}
              </span>
            ))}
            {hiddenCount > 0 && (list || error) ? (
              <Button variant="subtle" size="compact-sm" onClick={() => onShowAll(progress)}>
                {shown.length > 0 ? `and ${formatNumber(hiddenCount)} more` : 'Show everybody'}
              </Button>
            ) : null}
          </span>
          {reminding && count !== undefined && count > 1 ? (
            <RemindButton isReminding={reminding.isReminding} onRemind={() => reminding.remindListed(progress)}>
              Remind {formatNumber(count)} people
            </RemindButton>
          ) : null}
          {children}
        </>
      )}
    </Answer>
  )
}

function countOf({ stalled_count, finished_count, overdue_count }: TeamPage, progress: ListedProgress) {
  return { stalled: stalled_count, finished: finished_count, overdue: overdue_count }[progress]
}

/** Keeps the room of names that are being loaded, so that what stands below does not move. */
function AwaitedNames({ count }: { count: number }) {
  return Array.from({ length: count }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: skeletons without identity
    <Skeleton key={index} className={styles.awaitedName} />
  ))
}

interface RemindButtonProps {
  /** The accessible name, if the text alone does not say who is reminded. */
  label?: string
  isReminding: boolean
  onRemind: () => void
  children: ReactNode
}

function RemindButton({ label, isReminding, onRemind, children }: RemindButtonProps) {
  return (
    <Button variant="default" size="compact-xs" data-disabled={isReminding} aria-label={label} onClick={onRemind}>
      {children}
    </Button>
  )
}

interface AnswerProps {
  title: string
  count: number | undefined
  needsYou?: boolean | undefined
  children: ReactNode
}

function Answer({ title, count, needsYou, children }: AnswerProps) {
  return (
    <div className={styles.answer}>
      <h2 className={styles.answerTitle}>
        {title}
        <span className={styles.answerCount} data-needs-you={needsYou || undefined}>
          {formatNumber(count) ?? '–'}
        </span>
      </h2>
      <div className={styles.answerText}>{children}</div>
    </div>
  )
}

import { describeConditions } from '@watchline/contracts/conditions'
import type { EndedOccurrence, PlaylistWatch, PresentOccurrence } from '@watchline/contracts/engagement'
import { formatExactTime, formatPercent, formatWatchTime } from '../dates/format.ts'
import { FormerDueDate } from './due-date.tsx'
import styles from './task-override.module.css'
import { nameAuthor, OverrideNote } from './task-override.tsx'

type EarlierAttempt = NonNullable<PlaylistWatch['earlier_attempts']>[number]

/** Whether there is a completion to certify: of the task, or of an earlier occurrence. */
export function hasCertificate({
  completed,
  occurrences,
  never_assigned: isNeverAssigned,
}: Pick<PlaylistWatch, 'completed' | 'occurrences' | 'never_assigned'>): boolean {
  if (isNeverAssigned) return false
  return completed || occurrences?.some(({ outcome }) => outcome === 'completed') === true
}

/**
 * The conditions and the override of a task, a video that came after its completion, changes of its
 * terms with their reasons, its present and ended occurrences, and what was watched before its
 * resets.
 */
export function TaskHistory({
  playlist,
}: {
  playlist: Pick<
    PlaylistWatch,
    | 'override'
    | 'conditions'
    | 'new_since_completion'
    | 'explained_changes'
    | 'earlier_attempts'
    | 'occurrences'
    | 'present_occurrence'
  >
}) {
  const { override, explained_changes: changes = [], earlier_attempts: attempts = [], occurrences = [] } = playlist
  const { present_occurrence: present } = playlist
  const conditions = describeConditions(playlist.conditions)
  const lists = [conditions, changes, attempts, occurrences]
  const hasNewVideo = playlist.new_since_completion === true
  if (!override && !present && !hasNewVideo && lists.every(list => list.length === 0)) return null
  const resets = attempts.filter(attempt => !attempt.occurrence_due)
  return (
    <ul className={styles.history}>
      {conditions.length > 0 ? <li className={styles.override}>Terms: {conditions.join(', ')}</li> : null}
      {hasNewVideo ? (
        <li className={styles.override}>
          <span className={styles.state}>The playlist has changed since the completion</span>. The task stays completed.
        </li>
      ) : null}
      {override ? (
        <li>
          <OverrideNote override={override} />
        </li>
      ) : null}
      {changes.map(({ at, by, reason, due }) => (
        <li key={at} className={styles.override}>
          <span className={styles.state}>Terms changed</span> by {nameAuthor(by)},{' '}
          <time dateTime={at}>{formatExactTime(at)}</time>: “{reason}”.{' '}
          {due ? (
            <>
              Due <FormerDueDate due={due} />
            </>
          ) : (
            'No due date'
          )}
        </li>
      ))}
      {present ? (
        <li className={styles.override}>
          <OpenOccurrence occurrence={present} />
        </li>
      ) : null}
      {occurrences.toReversed().map(occurrence => (
        <li key={`${occurrence.due.at} ${occurrence.ended_at}`} className={styles.override}>
          <Occurrence occurrence={occurrence} attempt={findAttempt(attempts, occurrence)} />
        </li>
      ))}
      {resets.map(({ ended_at, by, reason, completion_rate, completed, watch_time }) => (
        <li key={ended_at} className={styles.override}>
          <span className={styles.state}>Reset</span> by {nameAuthor(by)},{' '}
          <time dateTime={ended_at}>{formatExactTime(ended_at)}</time>
          {reason ? `: “${reason}”` : null}. Before: {completed ? 'completed' : formatPercent(completion_rate)}, watch
          time {formatWatchTime(watch_time)}
        </li>
      ))}
    </ul>
  )
}

/**
 * Skipped occurrences share `ended_at` with the one that was open, so only opened ones have an
 * attempt.
 */
function findAttempt(attempts: readonly EarlierAttempt[], { opened_at, ended_at }: EndedOccurrence) {
  return opened_at ? attempts.find(attempt => attempt.occurrence_due && attempt.ended_at === ended_at) : undefined
}

const outcomes: Record<EndedOccurrence['outcome'], string> = {
  completed: 'Completed',
  marked_done: 'Marked as done by hand',
  exempt: 'Exempt',
  missed: 'Missed',
}

/** `Present occurrence: open since 1 Jan 2026, 17:00, due 31 Jan 2026, 17:00` */
function OpenOccurrence({ occurrence: { opened_at, due } }: { occurrence: PresentOccurrence }) {
  return (
    <>
      <span className={styles.state}>Present occurrence</span>:{' '}
      {opened_at ? (
        <>
          open since <time dateTime={opened_at}>{formatExactTime(opened_at)}</time>,{' '}
        </>
      ) : null}
      due <FormerDueDate due={due} />
    </>
  )
}

interface OccurrenceProps {
  occurrence: EndedOccurrence
  attempt: EarlierAttempt | undefined
}

/** `Missed: due 31 Jan 2026, 17:00, 40%, watch time 3 min` */
function Occurrence({ occurrence: { due, outcome, closed_at }, attempt }: OccurrenceProps) {
  const rate = attempt && !attempt.completed ? `${formatPercent(attempt.completion_rate)}, ` : ''
  return (
    <>
      <span className={styles.state}>{outcomes[outcome]}</span>
      {closed_at ? (
        <>
          {' '}
          <time dateTime={closed_at}>{formatExactTime(closed_at)}</time>
        </>
      ) : null}
      : due <FormerDueDate due={due} />
      {attempt ? `, ${rate}watch time ${formatWatchTime(attempt.watch_time)}` : null}
    </>
  )
}

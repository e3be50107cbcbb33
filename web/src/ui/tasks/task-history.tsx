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
  const ofOccurrences = new Set(occurrences.map(occurrence => findAttempt(attempts, occurrence)))
  const otherAttempts = attempts.filter(attempt => !ofOccurrences.has(attempt))
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
      {otherAttempts.map(attempt => (
        <li key={attempt.ended_at} className={styles.override}>
          {attempt.occurrence_due ? (
            <UnlistedOccurrence due={attempt.occurrence_due} attempt={attempt} />
          ) : (
            <ResetAttempt attempt={attempt} />
          )}
        </li>
      ))}
    </ul>
  )
}

/** Skipped occurrences share `ended_at` with the one that was open, but not its due date. */
function findAttempt(attempts: readonly EarlierAttempt[], { due, ended_at }: EndedOccurrence) {
  return attempts.find(attempt => attempt.ended_at === ended_at && attempt.occurrence_due?.at === due.at)
}

function ResetAttempt({ attempt }: { attempt: EarlierAttempt }) {
  const { ended_at, by, reason, completion_rate, completed, watch_time } = attempt
  return (
    <>
      <span className={styles.state}>Reset</span> by {nameAuthor(by)},{' '}
      <time dateTime={ended_at}>{formatExactTime(ended_at)}</time>
      {reason ? `: “${reason}”` : null}. Before: {completed ? 'completed' : formatPercent(completion_rate)}, watch time{' '}
      {formatWatchTime(watch_time)}
    </>
  )
}

/** An attempt at an occurrence that the history does not have. */
function UnlistedOccurrence({ due, attempt }: Pick<EndedOccurrence, 'due'> & { attempt: EarlierAttempt }) {
  const { completion_rate, completed, watch_time } = attempt
  return (
    <>
      <span className={styles.state}>Earlier occurrence</span>: due <FormerDueDate due={due} />,{' '}
      {completed ? 'completed' : formatPercent(completion_rate)}, watch time {formatWatchTime(watch_time)}
    </>
  )
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

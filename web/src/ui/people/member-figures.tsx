import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { formatCount, formatNumber } from '../dates/format.ts'
import { RelativeTime } from '../dates/relative-time.tsx'
import listStyles from '../lists/list.module.css'
import { CompletionBar, NoCompletion } from '../progress/completion-bar.tsx'

type CompletionFields = Pick<
  MemberAnalytics,
  | 'name'
  | 'total_videos'
  | 'completion_rate'
  | 'credited_parts'
  | 'overdue_tasks'
  | 'marked_done_tasks'
  | 'exempt_tasks'
>

/** The watch strip of all videos assigned to a person, with their completion and overdue tasks. */
export function MemberCompletion({ member }: { member: CompletionFields }) {
  const { name, total_videos, completion_rate, credited_parts, overdue_tasks = 0, exempt_tasks = 0 } = member
  if (total_videos === 0 && completion_rate === 0)
    return <NoCompletion>{exempt_tasks > 0 ? describeExempt(exempt_tasks) : 'Nothing assigned'}</NoCompletion>
  return (
    <>
      <CompletionBar rate={completion_rate} parts={credited_parts} label={`Completion of ${name}`} />
      {overdue_tasks > 0 ? (
        <span className={listStyles.overdue}>{formatCount(overdue_tasks, 'task')} overdue</span>
      ) : null}
      <Overrides member={member} />
    </>
  )
}

/** Tasks that superiors closed without their videos. */
function Overrides({ member: { marked_done_tasks = 0, exempt_tasks = 0 } }: { member: CompletionFields }) {
  const texts = [
    ...(marked_done_tasks > 0 ? [`${formatCount(marked_done_tasks, 'task')} marked as done`] : []),
    ...(exempt_tasks > 0 ? [describeExempt(exempt_tasks)] : []),
  ]
  return texts.length > 0 ? <span className={listStyles.overrides}>{texts.join(' · ')}</span> : null
}

function describeExempt(tasks: number): string {
  return `Exempt from ${formatCount(tasks, 'task')}`
}

export function CompletedVideos({ completed, total }: { completed: number; total: number }) {
  return (
    <>
      <span aria-hidden="true">
        {formatNumber(completed)}/{formatNumber(total)}
      </span>
      <span className="wl-hidden">
        {formatNumber(completed)} of {formatCount(total, 'video')} completed
      </span>
    </>
  )
}

/** The last activity in a table cell. */
export function LastActivity({ time }: { time: string | null }) {
  return time ? <RelativeTime time={time} /> : <span className={listStyles.dim}>No activity yet</span>
}

/** The last activity in a line of facts, with its label. */
export function LabelledLastActivity({ time }: { time: string | null }) {
  return (
    <span>
      {time ? (
        <>
          last activity <RelativeTime time={time} inline />
        </>
      ) : (
        'no activity yet'
      )}
    </span>
  )
}

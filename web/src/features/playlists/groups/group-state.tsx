import { describeConditions } from '@watchline/contracts/conditions'
import type { AssignableGroup } from '@watchline/contracts/group-assignments'
import { describeRepetition } from '@watchline/contracts/recurrence'
import { formatCount, formatNumber } from '../../../ui/dates/format.ts'
import listStyles from '../../../ui/lists/list.module.css'
import { ProgressLine } from '../../../ui/progress/progress-line.tsx'
import { GroupDueDate } from '../../../ui/tasks/due-date.tsx'

const progressLabels = { assigning: 'Updating tasks', withdrawing: 'Withdrawing', reminding: 'Reminding' } as const

/** The size of a group, and what it has of the playlist. */
export function GroupState({ group: { size, assignment } }: { group: AssignableGroup }) {
  const { next_due, due = null, recurrence } = assignment?.terms ?? {}
  // Of a series, members have the next due date, too; otherwise it is only for people who join now.
  const isSeries = recurrence?.from === 'due_date'
  const shownDue = (isSeries && next_due) || due
  return (
    <>
      <div className={listStyles.dim}>
        {formatCount(size, 'person', 'people')}
        {assignment?.status === 'assigned' ? ' · Assigned' : ''}
        {assignment?.status === 'assigned' && shownDue ? (
          <>
            {' · '}
            <GroupDueDate due={shownDue} graceUntil={assignment.terms.grace_until} />
            {next_due && !isSeries ? (
              <>
                {' · For people who join now: '}
                <GroupDueDate due={next_due} />
              </>
            ) : null}
            {recurrence ? ` · Repeats ${describeRepetition(recurrence)}` : ''}
          </>
        ) : null}
        {assignment?.status === 'assigned'
          ? describeConditions(assignment.terms.conditions).map(text => ` · ${text}`)
          : null}
      </div>
      {assignment?.progress ? (
        <ProgressLine
          label={progressLabels[assignment.progress.kind]}
          done={assignment.progress.done}
          total={assignment.progress.total}
          valueText={`${formatNumber(assignment.progress.done)} of ${formatNumber(assignment.progress.total)} people`}
        />
      ) : null}
    </>
  )
}

import type { ListedProgress, MemberAnalytics } from '@watchline/contracts/engagement'

/** The names of the states by which people can be listed, in the order of urgency. */
export const listedProgressNames: Record<ListedProgress, string> = {
  overdue: 'Overdue',
  stalled: 'Stuck',
  finished: 'Done',
}

type ProgressFields = Pick<MemberAnalytics, 'progress' | 'overdue_tasks'>

/** Whether the person belongs to the list of this state. */
export function isListedAs({ progress, overdue_tasks }: ProgressFields, state: ListedProgress): boolean {
  return state === 'overdue' ? (overdue_tasks ?? 0) > 0 : progress === state
}

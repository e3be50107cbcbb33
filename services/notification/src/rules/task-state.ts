import type { OverrideKind } from '@watchline/contracts/fields'

/** An assignment as its owners know it at this moment. */
export interface TaskState {
  isCompleted: boolean
  /** Set while the task is exempt or marked as done. */
  override: OverrideKind | undefined
  /** The due date, undefined without one. */
  dueAt: string | undefined
}

/**
 * The reason why a mail about the task is out of date; undefined without one. The state is
 * undefined if the task is not assigned any more, and `dueAt` if the mail names no due date.
 */
export function explainOutdated(state: TaskState | undefined, dueAt: string | undefined): string | undefined {
  if (!state) return 'The task is withdrawn.'
  if (state.isCompleted) return 'The task is completed.'
  if (state.override === 'exempt') return 'The person is exempt from the task.'
  if (state.override === 'marked_done') return 'The task is marked as done.'
  if (dueAt !== undefined && state.dueAt !== dueAt) return 'The due date was changed.'
  return undefined
}

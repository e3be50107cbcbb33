import type { OverrideKind } from '@watchline/contracts/fields'

/** An assignment as its owners know it at this moment. */
export interface TaskState {
  isCompleted: boolean
  /** Set while the task is exempt or marked as done. */
  override: OverrideKind | undefined
  /** The due date, undefined without one. */
  dueAt: string | undefined
}

/** The facts of a mail about a task that must still be true. */
export interface TaskFacts {
  /** Undefined if the mail names no due date. */
  dueAt: string | undefined
  /** The override that the mail reports; undefined in mails about open tasks. */
  override?: OverrideKind | undefined
}

/**
 * The reason why a mail about the task is out of date; undefined without one. The state is
 * undefined if the task is not assigned any more.
 */
export function explainOutdated(state: TaskState | undefined, facts: TaskFacts): string | undefined {
  if (!state) return 'The task is withdrawn.'
  if (state.isCompleted) return 'The task is completed.'
  if (facts.override !== undefined)
    return state.override === facts.override ? undefined : 'The exception does not apply any more.'
  if (state.override === 'exempt') return 'The person is exempt from the task.'
  if (state.override === 'marked_done') return 'The task is marked as done.'
  if (facts.dueAt !== undefined && state.dueAt !== facts.dueAt) return 'The due date was changed.'
  return undefined
}

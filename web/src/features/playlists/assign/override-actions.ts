import type { ListedAssignment as Assignment } from '@watchline/contracts/assignments'
import type { OverrideAction } from '@watchline/contracts/fields'

interface ActionTexts {
  name: string
  /** The effect on the chosen people. */
  consequence: string
  button: string
  success: string
}

/** In the order of the dialog. */
export const actionTexts: Record<OverrideAction, ActionTexts> = {
  exempt: {
    name: 'Exempt: the task is not required',
    consequence:
      'The task leaves their open tasks and all figures. Nobody is reminded of it. Their watching stays recorded. You can take it back.',
    button: 'Exempt',
    success: 'Task not required',
  },
  mark_done: {
    name: 'Mark as done by hand',
    consequence:
      'The task counts as done, for due dates and reminders, too. It shows that it was marked by hand. The watched percentage stays as it is. You can take it back.',
    button: 'Mark as done',
    success: 'Task marked as done',
  },
  take_back: {
    name: 'Take an exception back',
    consequence: 'The task is open again, with its due date. Everything they watched counts as before.',
    button: 'Take back',
    success: 'Exception taken back',
  },
  reset: {
    name: 'Reset: they start again',
    consequence:
      'Progress and completion begin at zero. Earlier watching stays in the history. A running session ends, and they can start a new one at once. This cannot be undone.',
    button: 'Reset',
    success: 'Task reset',
  },
}

/** Whether the action is offered for the assignment; the server decides. */
export function appliesTo(action: OverrideAction, { status, override }: Pick<Assignment, 'status' | 'override'>) {
  if (action === 'reset') return true
  if (action === 'take_back') return Boolean(override)
  const kind = action === 'exempt' ? 'exempt' : 'marked_done'
  return status === 'assigned' && override?.kind !== kind
}

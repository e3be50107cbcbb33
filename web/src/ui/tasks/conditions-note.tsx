import type { Task } from '@watchline/contracts/assignments'
import { describeConditions } from '@watchline/contracts/conditions'

/**
 * The conditions of a task that differ from the usual ones: "95% needed", "with attention checks".
 */
export function ConditionsNote({ task }: { task: Pick<Task, 'conditions'> }) {
  return describeConditions(task.conditions).map(text => <span key={text}>{text}</span>)
}

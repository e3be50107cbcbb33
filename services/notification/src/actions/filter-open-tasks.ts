import type { NotificationContext } from '../context.ts'
import { explainOutdated } from '../rules/task-state.ts'
import type { EscalatedTask } from '../store/stored-mail.ts'

/** Bounds the calls to the owners at the same time. */
const batchSize = 20

/** A mail that waits for days has a task once for each day of its escalation: the latest counts. */
export function dropRepeated(tasks: readonly EscalatedTask[]): EscalatedTask[] {
  return [...new Map(tasks.map(task => [`${task.personId}:${task.playlistId}`, task])).values()]
}

/** A task as a message names it. */
interface NamedTask {
  personId: string
  playlistId: string
  /** Undefined if the message names no due date. */
  dueAt?: string | undefined
}

/**
 * Those of the tasks that are open and still have this due date, as their owners know at this
 * moment. Rejects while an owner is unavailable.
 */
export async function filterOpenTasks<Task extends NamedTask>(
  { taskOwners }: Pick<NotificationContext, 'taskOwners'>,
  tasks: readonly Task[],
): Promise<Task[]> {
  const openTasks: Task[] = []
  for (let start = 0; start < tasks.length; start += batchSize) {
    const batch = tasks.slice(start, start + batchSize)
    const states = await Promise.all(batch.map(({ personId, playlistId }) => taskOwners.findTask(personId, playlistId)))
    openTasks.push(...batch.filter(({ dueAt }, index) => explainOutdated(states[index], { dueAt }) === undefined))
  }
  return openTasks
}

/**
 * The same for the bell. A completion may still be on its way. While an owner is unavailable, the
 * event counts: other notifications must not wait for the owner.
 */
export async function dropClosedTasks<Task extends NamedTask>(
  ctx: Pick<NotificationContext, 'taskOwners' | 'log'>,
  tasks: readonly Task[],
): Promise<readonly Task[]> {
  try {
    return await filterOpenTasks(ctx, tasks)
  } catch (error) {
    ctx.log.warn({ err: error }, 'check of open tasks failed, notifying of all of them')
    return tasks
  }
}

import { type Schedule, scheduleTimeout } from './schedule.ts'

type Task = () => Promise<unknown>

const tasks = new Set<Task>()
/** The longest delay of a sign-out, ms. */
const maxWaitMs = 3_000

/**
 * Registers what must reach the server while the person is still signed in. The task may run
 * several times, because a sign-out can fail. Answers the function that removes it.
 */
export function beforeSignOut(task: Task): () => void {
  tasks.add(task)
  return () => void tasks.delete(task)
}

const questions = new Set<() => boolean>()

/**
 * Registers a reason to ask the person before a sign-out: something would end that they may not
 * think of. Answers the function that removes it.
 */
export function askBeforeSignOut(isNeeded: () => boolean): () => void {
  questions.add(isNeeded)
  return () => void questions.delete(isNeeded)
}

export function mustAskBeforeSignOut(): boolean {
  return [...questions].some(isNeeded => isNeeded())
}

/** Runs the registered tasks. Resolves when all have ended, or after `maxWaitMs`. Never rejects. */
export async function prepareSignOut(schedule: Schedule = scheduleTimeout): Promise<void> {
  if (tasks.size === 0) return
  let cancel: (() => void) | undefined
  const timeIsOver = new Promise<void>(resolve => {
    cancel = schedule(maxWaitMs, resolve)
  })
  await Promise.race([Promise.allSettled([...tasks].map(task => task())), timeIsOver])
  cancel?.()
}

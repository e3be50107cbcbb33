import { setImmediate } from 'node:timers/promises'

/** Runs the steps, and lets the process answer other callers between them. */
export async function runWithPauses<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await setImmediate()
  }
}

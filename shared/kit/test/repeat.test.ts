import { expect, test } from '@jest/globals'
import { createRepeatedJob, createWakeup } from '@watchline/kit/core/repeat'
import { eventually } from '@watchline/testing/harness'

test('a failing run is reported and repeated, and runs never overlap', async () => {
  const failures: unknown[] = []
  let running = 0
  let mostRunning = 0
  let runs = 0
  const work = async () => {
    running += 1
    mostRunning = Math.max(mostRunning, running)
    await new Promise(resolve => setTimeout(resolve, 5))
    running -= 1
    runs += 1
    if (runs % 2) throw runs
  }
  const job = createRepeatedJob(work, { pauseMs: 1, jitter: true, onError: error => failures.push(error) })
  await job.start()
  await eventually(() => runs >= 4)
  await job.stop()
  expect(failures.slice(0, 2)).toEqual([1, 3])
  expect(mostRunning).toBe(1)
})

test('stop waits for the current run, and no other run follows', async () => {
  const started = Promise.withResolvers<void>()
  const finished = Promise.withResolvers<void>()
  let runs = 0
  const work = () => {
    runs += 1
    started.resolve()
    return finished.promise
  }
  const job = createRepeatedJob(work, { pauseMs: 0, onError: () => {} })
  await job.start()
  await started.promise
  let isStopped = false
  const stopping = Promise.resolve(job.stop()).then(() => {
    isStopped = true
  })
  await new Promise(resolve => setImmediate(resolve))
  expect(isStopped).toBe(false)
  finished.resolve()
  await stopping
  expect(runs).toBe(1)
})

test('the work gets a signal that stop aborts, so that a long run can end early', async () => {
  const started = Promise.withResolvers<AbortSignal>()
  const work = (signal: AbortSignal) => {
    started.resolve(signal)
    return new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
  }
  const job = createRepeatedJob(work, { pauseMs: 0, onError: () => {} })
  job.start()
  const signal = await started.promise
  expect(signal.aborted).toBe(false)
  await job.stop()
  expect(signal.aborted).toBe(true)
})

test('stop does not wait for the pause', async () => {
  const job = createRepeatedJob(async () => {}, { pauseMs: 3_600_000, onError: () => {} })
  await job.start()
  await job.stop()
})

test('a wake ends the pause, and one during a run is followed by another run', async () => {
  const wakeup = createWakeup()
  const started: PromiseWithResolvers<void>[] = []
  const work = async () => {
    const run = Promise.withResolvers<void>()
    started.push(run)
    await run.promise
  }
  const job = createRepeatedJob(work, { pauseMs: 3_600_000, wakeup, onError: () => {} })
  wakeup.wake()
  job.start()
  await eventually(() => started.length === 1)
  wakeup.wake()
  wakeup.wake()
  started[0]!.resolve()
  await eventually(() => started.length === 2)
  started[1]!.resolve()
  await new Promise(resolve => setImmediate(resolve))
  expect(started).toHaveLength(2)
  await job.stop()
  wakeup.wake()
  await new Promise(resolve => setImmediate(resolve))
  expect(started).toHaveLength(2)
})

test('a job that is woken repeats a failed run soon, because somebody waits for its work', async () => {
  const wakeup = createWakeup()
  let runs = 0
  const work = async () => {
    runs += 1
    if (runs === 1) throw new Error('away')
  }
  const job = createRepeatedJob(work, { pauseMs: 3_600_000, wakeup, onError: () => {} })
  job.start()
  wakeup.wake()
  await eventually(() => runs === 2)
  await job.stop()
})

test('a job that wakes itself and then fails pauses before its next run', async () => {
  const wakeup = createWakeup()
  let runs = 0
  const work = async () => {
    runs += 1
    wakeup.wake()
    throw new Error('away')
  }
  const job = createRepeatedJob(work, { pauseMs: 3_600_000, wakeup, onError: () => {} })
  job.start()
  wakeup.wake()
  await eventually(() => runs > 0)
  for (let turn = 0; turn < 100; turn += 1) await new Promise(resolve => setImmediate(resolve))
  await job.stop()
  expect(runs).toBeLessThan(20)
})

test('the work may stop its own job', async () => {
  let runs = 0
  const finished = Promise.withResolvers<void>()
  const job = createRepeatedJob(
    async () => {
      runs += 1
      void job.stop()
      finished.resolve()
    },
    { pauseMs: 0, onError: () => {} },
  )
  await job.start()
  await finished.promise
  await job.stop()
  expect(runs).toBe(1)
})

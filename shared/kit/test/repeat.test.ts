import { expect, test } from '@jest/globals'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import { eventually } from '@watchline/testing/harness'

test('what fails is told of and done again, and never twice at once', async () => {
  const failures: unknown[] = []
  let atOnce = 0
  let most = 0
  let runs = 0
  const work = async () => {
    atOnce += 1
    most = Math.max(most, atOnce)
    await new Promise(resolve => setTimeout(resolve, 5))
    atOnce -= 1
    runs += 1
    if (runs % 2) throw runs
  }
  const repeater = createRepeatedJob(work, { pauseMs: 1, spread: true, failed: error => failures.push(error) })
  await repeater.start()
  await eventually(() => runs >= 4)
  await repeater.stop()
  expect(failures.slice(0, 2)).toEqual([1, 3])
  expect(most).toBe(1)
})

test('stopping waits for the run under way, and none follows', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: end, resolve: finish } = Promise.withResolvers<void>()
  let runs = 0
  const work = () => {
    runs += 1
    begin()
    return end
  }
  const repeater = createRepeatedJob(work, { pauseMs: 0, failed: () => {} })
  await repeater.start()
  await begun
  let stopped = false
  const stopping = Promise.resolve(repeater.stop()).then(() => {
    stopped = true
  })
  await new Promise(resolve => setImmediate(resolve))
  expect(stopped).toBe(false)
  finish()
  await stopping
  expect(runs).toBe(1)
})

test('a pause does not hold up stopping, and the work may stop it itself', async () => {
  const resting = createRepeatedJob(async () => {}, { pauseMs: 3_600_000, failed: () => {} })
  await resting.start()
  await resting.stop()

  let runs = 0
  const { promise: done, resolve } = Promise.withResolvers<void>()
  const once = createRepeatedJob(
    async () => {
      runs += 1
      void once.stop()
      resolve()
    },
    { pauseMs: 0, failed: () => {} },
  )
  await once.start()
  await done
  await once.stop()
  expect(runs).toBe(1)
})

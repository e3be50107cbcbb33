import { expect, test } from '@jest/globals'
import { coalesceCalls } from '../src/store/coalesce-calls.ts'

/** Work that the test completes; `runs` are those started so far. */
function createWork() {
  const runs: PromiseWithResolvers<number>[] = []
  const call = coalesceCalls(() => {
    const run = Promise.withResolvers<number>()
    runs.push(run)
    return run.promise
  })
  return { runs, call }
}
const nextTick = () => new Promise(resolve => setImmediate(resolve))

test('concurrent calls share one run', async () => {
  const { runs, call } = createWork()
  const answers = Promise.all([call(), call(), call()])
  await nextTick()
  expect(runs).toHaveLength(1)
  runs[0]!.resolve(7)
  expect(await answers).toEqual([7, 7, 7])
})

test('a call during a run gets the answer of the next run', async () => {
  const { runs, call } = createWork()
  const first = call()
  await nextTick()
  const later = Promise.all([call(), call()])
  await nextTick()
  expect(runs).toHaveLength(1)
  runs[0]!.resolve(1)
  expect(await first).toBe(1)
  await nextTick()
  expect(runs).toHaveLength(2)
  runs[1]!.resolve(2)
  expect(await later).toEqual([2, 2])
})

test('a failed run rejects its own calls only', async () => {
  const { runs, call } = createWork()
  const first = call()
  await nextTick()
  runs[0]!.reject(new Error('away'))
  await expect(first).rejects.toThrow('away')
  const second = call()
  await nextTick()
  runs[1]!.resolve(3)
  expect(await second).toBe(3)
})

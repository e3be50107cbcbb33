import { expect, test } from '@jest/globals'
import { coalesceCalls } from '../src/store/coalesce-calls.ts'

/** Work that ends when it is told to; `begun` are those under way. */
function work() {
  const begun: PromiseWithResolvers<number>[] = []
  const run = coalesceCalls(() => {
    const one = Promise.withResolvers<number>()
    begun.push(one)
    return one.promise
  })
  return { begun, run }
}
const turn = () => new Promise(resolve => setImmediate(resolve))

test('those who ask at once are answered together', async () => {
  const { begun, run } = work()
  const answers = Promise.all([run(), run(), run()])
  await turn()
  expect(begun).toHaveLength(1)
  begun[0]!.resolve(7)
  expect(await answers).toEqual([7, 7, 7])
})

test('who asks meanwhile is answered with what is found after they asked', async () => {
  const { begun, run } = work()
  const first = run()
  await turn()
  const later = Promise.all([run(), run()])
  await turn()
  expect(begun).toHaveLength(1)
  begun[0]!.resolve(1)
  expect(await first).toBe(1)
  await turn()
  expect(begun).toHaveLength(2)
  begun[1]!.resolve(2)
  expect(await later).toEqual([2, 2])
})

test('a failure is told to those who asked, and the next time is another', async () => {
  const { begun, run } = work()
  const first = run()
  await turn()
  begun[0]!.reject(new Error('away'))
  await expect(first).rejects.toThrow('away')
  const second = run()
  await turn()
  begun[1]!.resolve(3)
  expect(await second).toBe(3)
})

import { expect, test } from '@jest/globals'
import { createManualClock } from '@watchline/testing/manual-clock'
import { type CountedPosition, createAssignedOrders } from '../src/store/assigned-order.ts'

const request = { owner: { everything: true }, order: 'desc' } as const
const positionsOf = (count: number): CountedPosition[] => [
  { end: { by: 'title_order', values: ['a'], id: 'a' }, count },
]

/** Orders whose computations last until the test ends them. */
function setUp() {
  const clock = createManualClock()
  const runs: PromiseWithResolvers<CountedPosition[]>[] = []
  const orders = createAssignedOrders(clock, () => {
    const run = Promise.withResolvers<CountedPosition[]>()
    runs.push(run)
    return run.promise
  })
  return { clock, runs, orders }
}

const settle = () => new Promise(resolve => setImmediate(resolve))

test('calls share one computation, and its result for some seconds', async () => {
  const { clock, runs, orders } = setUp()
  const answers = Promise.all([orders.get(request), orders.get(request)])
  await settle()
  expect(runs).toHaveLength(1)
  runs[0]!.resolve(positionsOf(1))
  expect(await answers).toEqual([positionsOf(1), positionsOf(1)])
  expect(await orders.get(request)).toEqual(positionsOf(1))
  expect(runs).toHaveLength(1)
  clock.advance(3_000)
  void orders.get(request)
  await settle()
  expect(runs).toHaveLength(2)
})

test('another order, search or owner has its own computation', async () => {
  const { runs, orders } = setUp()
  for (const other of [{}, { order: 'asc' }, { search: 'a' }, { owner: { createdBy: 'boss' } }] as const)
    void orders.get({ ...request, ...other })
  await settle()
  expect(runs).toHaveLength(4)
})

test('a call after a change waits for one computation that begins after it', async () => {
  const { runs, orders } = setUp()
  const early = orders.get(request)
  await settle()
  orders.clear()
  const late = [orders.get(request), orders.get(request)]
  await settle()
  expect(runs).toHaveLength(1)
  runs[0]!.resolve(positionsOf(1))
  expect(await early).toEqual(positionsOf(1))
  await settle()
  expect(runs).toHaveLength(2)
  runs[1]!.resolve(positionsOf(2))
  expect(await Promise.all(late)).toEqual([positionsOf(2), positionsOf(2)])
  expect(await orders.get(request)).toEqual(positionsOf(2))
})

test('a failure is not kept', async () => {
  const { runs, orders } = setUp()
  const failing = orders.get(request)
  await settle()
  runs[0]!.reject(new Error('The database is away'))
  await expect(failing).rejects.toThrow('The database is away')
  const next = orders.get(request)
  await settle()
  runs[1]!.resolve(positionsOf(1))
  expect(await next).toEqual(positionsOf(1))
})

test('an order beyond the bound of memory is not kept', async () => {
  const { runs, orders } = setUp()
  const large = Array.from({ length: 200_000 }, () => positionsOf(1)[0]!)
  for (const index of [0, 1]) {
    const answer = orders.get(request)
    await settle()
    expect(runs).toHaveLength(index + 1)
    runs[index]!.resolve(large)
    expect(await answer).toHaveLength(large.length)
  }
})

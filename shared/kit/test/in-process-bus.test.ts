import { describe, expect, test } from '@jest/globals'
import type { DomainEvent } from '@watchline/contracts/events'
import { EventBusUnavailable } from '../src/messaging/event-bus.ts'
import { createInProcessBus } from '../src/messaging/in-process-bus.ts'

const event: DomainEvent = {
  specversion: '1.0',
  id: 'event-1',
  source: 'test',
  type: 'thing.done',
  subject: 'thing-1',
  time: '2026-01-05T09:00:00.000Z',
  data: {},
}
const consumersOf = () => ['alpha']

describe('event bus in one process: what publish resolves to', () => {
  test('handled: it waits for the handler, retries included', async () => {
    const bus = createInProcessBus({ consumersOf, retryDelaysMs: [1, 1] })
    let tries = 0
    await bus.consume({ group: 'alpha', types: ['thing.done'] }, async () => {
      if (++tries < 3) throw new Error('not yet')
    })
    await bus.publish(event)
    expect(tries).toBe(3)
    await bus.close()
  })

  test('refused: a group that must get it does not consume within the wait, and nobody else got it', async () => {
    const bus = createInProcessBus({ consumersOf: () => ['alpha', 'beta'], subscriberWaitMs: 20 })
    const got: unknown[] = []
    await bus.consume({ group: 'alpha', types: ['thing.done'] }, async each => void got.push(each))
    await bus.consume({ group: 'beta', types: ['thing.else'] }, async () => {})
    await expect(bus.publish(event)).rejects.toThrow('beta does not consume thing.done')
    expect(got).toEqual([])
    await bus.close()
  })

  test('refused: the only consumer left before it could be tried again', async () => {
    const bus = createInProcessBus({ consumersOf, retryDelaysMs: [1], subscriberWaitMs: 20 })
    let leave: () => void = () => {}
    const subscription = await bus.consume({ group: 'alpha', types: ['thing.done'] }, async () => {
      leave()
      throw new Error('not now')
    })
    leave = () => void subscription.cancel()
    await expect(bus.publish(event)).rejects.toThrow('alpha does not consume thing.done any longer')
    await bus.close()
  })

  test('refused: the bus was closed while the event waited for its next try, or for a consumer', async () => {
    const bus = createInProcessBus({ consumersOf: type => [type], retryDelaysMs: [3_600_000] })
    let tried: () => void = () => {}
    const first = new Promise<void>(resolve => {
      tried = resolve
    })
    await bus.consume({ group: 'thing.done', types: ['thing.done'] }, async () => {
      tried()
      throw new Error('not yet')
    })
    const outcomes = Promise.allSettled([bus.publish(event), bus.publish({ ...event, type: 'thing.else' })])
    await first
    await bus.close()
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(EventBusUnavailable) })
    }
  })
})

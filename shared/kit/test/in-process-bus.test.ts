import { describe, expect, test } from '@jest/globals'
import type { DomainEvent } from '@watchline/contracts/events'
import { EventBusUnavailable } from '../src/messaging/event-bus.ts'
import { createInProcessBus } from '../src/messaging/in-process/in-process-bus.ts'

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

describe('publish on the in-process bus', () => {
  test('waits for the handler and its retries', async () => {
    const bus = createInProcessBus({ consumersOf, retryDelaysMs: [1, 1] })
    let attempts = 0
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.done'] }, async () => {
      if (++attempts < 3) throw new Error('not yet')
    })
    await bus.publish(event)
    expect(attempts).toBe(3)
    await bus.close()
  })

  test('fails if a required group does not start to consume in time; then no group receives it', async () => {
    const bus = createInProcessBus({ consumersOf: () => ['alpha', 'beta'], subscriberWaitMs: 20 })
    const received: unknown[] = []
    await bus.consume(
      { consumerGroup: 'alpha', types: ['thing.done'] },
      async delivered => void received.push(delivered),
    )
    await bus.consume({ consumerGroup: 'beta', types: ['thing.else'] }, async () => {})
    await expect(bus.publish(event)).rejects.toThrow('beta does not consume thing.done')
    expect(received).toEqual([])
    await bus.close()
  })

  test('fails if the only consumer is cancelled before the next attempt', async () => {
    const bus = createInProcessBus({ consumersOf, retryDelaysMs: [1], subscriberWaitMs: 20 })
    let cancel: () => void = () => {}
    const subscription = await bus.consume({ consumerGroup: 'alpha', types: ['thing.done'] }, async () => {
      cancel()
      throw new Error('not now')
    })
    cancel = () => void subscription.cancel()
    await expect(bus.publish(event)).rejects.toThrow('alpha does not consume thing.done any longer')
    await bus.close()
  })

  test('fails if the bus is closed while the event waits for an attempt or a consumer', async () => {
    const bus = createInProcessBus({ consumersOf: type => [type], retryDelaysMs: [3_600_000] })
    const firstAttempt = Promise.withResolvers<void>()
    await bus.consume({ consumerGroup: 'thing.done', types: ['thing.done'] }, async () => {
      firstAttempt.resolve()
      throw new Error('not yet')
    })
    const outcomes = Promise.allSettled([bus.publish(event), bus.publish({ ...event, type: 'thing.else' })])
    await firstAttempt.promise
    await bus.close()
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(EventBusUnavailable) })
    }
  })
})

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import type { DomainEvent } from '@watchline/contracts/events'
import { PoisonError } from '@watchline/kit/messaging/event-bus'
import { createInProcessBus } from '@watchline/kit/messaging/in-process/in-process-bus'
import { eventually } from '@watchline/testing/harness'
import { createDeadLetterFile } from '../../src/operator/dead-letter-file.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const event = {
  specversion: '1.0',
  id: 'e1',
  source: 'auth',
  type: 'a.b',
  subject: 's',
  time: '2026-01-05T09:00:00Z',
  data: {},
}

test('a dead letter survives a restart, can be sent again, and is removed once it is handled', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dead-'))
  folders.push(folder)
  const file = join(folder, 'dead-letters.json')
  const openBus = () => createInProcessBus({ consumersOf: () => ['chat'], deadLetterStore: createDeadLetterFile(file) })

  const first = openBus()
  await first.consume({ consumerGroup: 'chat', types: ['a.b'] }, () => Promise.reject(new PoisonError('unreadable')))
  await first.publish(event as DomainEvent)
  await first.close()

  const second = openBus()
  expect(await second.deadLetters('chat')).toMatchObject([
    { event: { id: 'e1' }, reason: expect.stringContaining('unreadable') },
  ])
  let finish: () => void = () => {}
  const handled = new Promise<void>(resolve => {
    finish = resolve
  })
  await second.consume({ consumerGroup: 'chat', types: ['a.b'] }, () => handled)
  expect(await second.redrive('chat')).toBe(1)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveLength(1)
  finish()
  await eventually(() => JSON.parse(readFileSync(file, 'utf8')).length === 0)
  await second.close()
})

test('a publish fails if its dead letter cannot be stored', async () => {
  const bus = createInProcessBus({
    consumersOf: () => ['chat'],
    deadLetterStore: {
      load: () => [],
      save: () => {
        throw new Error('the disk is full')
      },
    },
  })
  await bus.consume({ consumerGroup: 'chat', types: ['a.b'] }, () => Promise.reject(new PoisonError('unreadable')))
  await expect(bus.publish(event as DomainEvent)).rejects.toThrow('the disk is full')
  await bus.close()
})

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { DomainEvent } from '@watchline/contracts/events'
import { type EventBus, PoisonError } from '@watchline/kit/messaging/event-bus'
import { createInProcessBus } from '@watchline/kit/messaging/in-process/in-process-bus'
import { createRabbitBus } from '@watchline/kit/messaging/rabbitmq/rabbitmq-bus'
import { removeTopology, topologyOf } from '@watchline/kit/messaging/rabbitmq/topology'
import { eventually, serverUrl } from '@watchline/testing/harness'
import { connect } from 'amqplib'
import { createDeadLetterFile } from '../../src/operator/dead-letter-file.ts'
import { temporaryFolder } from '../_processes.ts'

const command = fileURLToPath(new URL('../../src/operator/events.ts', import.meta.url))

function start(args: string[], env: Record<string, string>) {
  const { AMQP_URL: _url, DATA_DIR: _folder, AMQP_EXCHANGE: _exchange, ...parentEnv } = process.env
  return spawn(process.execPath, [command, ...args], {
    env: { ...parentEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Runs `npm run events -- …`. */
async function run(args: string[], env: Record<string, string>) {
  const child = start(args, env)
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, lines: out.split('\n').filter(Boolean), out, err }
}

function event(id: string, type = 'user.created'): DomainEvent {
  return { specversion: '1.0', id, source: 'auth', type, subject: 'p1', time: '2026-01-05T09:00:00.000Z', data: {} }
}

describe('dead letters on RabbitMQ', () => {
  const exchange = `t${randomBytes(6).toString('hex')}`
  let bus: EventBus
  let env: Record<string, string>
  let isFixed = false
  const handled: string[] = []

  beforeEach(async () => {
    isFixed = false
    env = { AMQP_URL: serverUrl('AMQP_URL'), AMQP_EXCHANGE: exchange }
    bus = await createRabbitBus({ url: env.AMQP_URL!, exchange, consumersOf: () => ['chat'] })
    await bus.consume({ consumerGroup: 'chat', types: ['user.created'] }, async received => {
      if (!isFixed) throw new PoisonError('fits no schema')
      handled.push((received as DomainEvent).id)
    })
    for (const id of ['e1', 'e2', 'e3']) await bus.publish(event(id))
    await eventually(async () => expect((await bus.depth('chat'))?.dead).toBe(3))
  })
  afterEach(async () => {
    await bus.close()
    const connection = await connect(serverUrl('AMQP_URL'))
    await removeTopology(await connection.createChannel(), topologyOf(exchange), ['chat'], 0)
    await connection.close()
  })

  test('are counted, listed, shown, sent again and dropped', async () => {
    const counts = await run(['list'], env)
    expect(counts.lines).toContain('chat\t3 dead\t0 waiting')
    expect(counts.lines).toContain('engagement\thas no queue yet')

    const listed = await eventually(async () => {
      const { lines, code } = await run(['list', 'chat'], env)
      expect([code, lines.length]).toEqual([0, 3])
      return lines.map(line => line.split('\t'))
    })
    expect(listed.map(fields => fields[1]).sort()).toEqual(['e1', 'e2', 'e3'])
    const time = expect.stringMatching(/^\d{4}-/)
    expect(listed[0]).toEqual(['chat', 'e1', 'user.created', 'p1', time, 'PoisonError: fits no schema', '1'])

    const letter = await eventually(async () => {
      const answer = await run(['show', 'chat', 'e2'], env)
      expect(answer.code).toBe(0)
      return JSON.parse(answer.out)
    })
    expect(letter).toMatchObject({ id: 'e2', event: event('e2'), tries: [{ reason: 'PoisonError: fits no schema' }] })

    isFixed = true
    await eventually(async () => expect(await run(['redrive', 'chat', 'e1'], env)).toMatchObject({ code: 0 }))
    await eventually(() => expect(handled).toEqual(['e1']))

    const dropped = await eventually(async () => {
      const answer = await run(['drop', 'chat', 'e2', 'nobody'], env)
      expect(answer.lines).toHaveLength(1)
      return answer
    })
    expect(JSON.parse(dropped.lines[0]!)).toMatchObject({ service: 'chat', id: 'e2', event: event('e2') })
    expect([dropped.code, dropped.err]).toEqual([1, expect.stringContaining('not all of these ids were found')])
    await eventually(async () => expect((await bus.depth('chat'))?.dead).toBe(1))
    await eventually(async () => expect(await run(['redrive', 'chat'], env)).toMatchObject({ err: '1 sent again\n' }))
    await eventually(() => expect(handled).toEqual(['e1', 'e3']))
  })

  test('that could not be printed are not dropped', async () => {
    const child = start(['drop', 'chat', '--all'], env)
    child.stdout.destroy()
    await once(child, 'exit')
    expect(child.exitCode).toBe(1)
    await eventually(async () => expect((await bus.deadLetters('chat')).map(letter => letter.id)).toHaveLength(3))
  })
})

describe('dead letters of the instance in DATA_DIR', () => {
  test('are listed and dropped while it is stopped, and sent again when it starts', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'mongo'))
    const file = join(folder, 'dead-letters.json')
    const letter = (id: string) => ({ group: 'chat', type: 'user.created', text: JSON.stringify(event(id)) })
    const letters = ['e1', 'e2', 'e3'].map(id => ({
      ...letter(id),
      reason: 'Error: no',
      at: '2026-01-05T09:00:00.000Z',
    }))
    writeFileSync(file, JSON.stringify(letters))
    const env = { DATA_DIR: folder }

    expect((await run(['list', 'chat'], env)).lines.map(line => line.split('\t')[1])).toEqual(['e1', 'e2', 'e3'])
    expect((await run(['drop', 'chat', 'e2'], env)).lines.map(line => JSON.parse(line).id)).toEqual(['e2'])
    const redriven = await run(['redrive', 'chat', 'e1'], env)
    expect([redriven.code, redriven.err]).toEqual([0, '1 will be sent again at the next start\n'])

    const bus = createInProcessBus({ consumersOf: () => ['chat'], deadLetterStore: createDeadLetterFile(file) })
    const handled: string[] = []
    await bus.consume(
      { consumerGroup: 'chat', types: ['user.created'] },
      async received => void handled.push((received as DomainEvent).id),
    )
    await eventually(() => JSON.parse(readFileSync(file, 'utf8')).length === 1)
    expect(handled).toEqual(['e1'])
    expect((await bus.deadLetters('chat')).map(letter => letter.id)).toEqual(['e3'])
    await bus.close()
  })

  test('are found by the addresses of a running `make up`', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'up'))
    const addresses = { AMQP_URL: serverUrl('AMQP_URL'), AMQP_EXCHANGE: `t${randomBytes(6).toString('hex')}` }
    writeFileSync(join(folder, 'up', 'env.json'), JSON.stringify(addresses))
    expect((await run(['list'], { DATA_DIR: folder })).lines).toContain('chat\thas no queue yet')
    const connection = await connect(serverUrl('AMQP_URL'))
    await (await connection.createChannel()).deleteExchange(addresses.AMQP_EXCHANGE)
    await connection.close()
  })
})

test('an invalid command prints the usage', async () => {
  const wrong = [[], ['lsit'], ['list', 'nobody'], ['drop', 'chat'], ['drop', 'chat', '--all', 'e1'], ['show']]
  for (const args of wrong) {
    const { code, out, err } = await run(args, {})
    expect([args, code, out, err.includes('usage: npm run events')]).toEqual([args, 2, '', true])
  }
})

test('without a system it prints a message and no stack', async () => {
  const { code, err } = await run(['list'], { DATA_DIR: temporaryFolder() })
  expect([code, err.split('\n').length]).toEqual([1, 2])
  expect(err).toContain('Set AMQP_URL')
  const unreachable = await run(['list'], { AMQP_URL: 'amqp://127.0.0.1:9' })
  expect([unreachable.code, unreachable.err.trim()]).toEqual([1, expect.stringMatching(/^RabbitMQ is away: [^\n]+$/)])
})

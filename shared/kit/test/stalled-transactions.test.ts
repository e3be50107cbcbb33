import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from '@jest/globals'
import { createDatabase, inTransaction, openDatabase } from '@watchline/kit/mongo/database'
import { createStalledTransactions, type StalledTransactionsOptions } from '@watchline/kit/mongo/stalled-transactions'
import { createLogger } from '@watchline/kit/observability/log'
import { eventually, serverUrl } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import type { Connection } from 'mongoose'
import { uniqueName } from './servers.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
  lines.length = 0
})

const lines: string[] = []
const log = createLogger('test', 'warn', { write: line => void lines.push(line) })

async function openTestDatabase(): Promise<Connection> {
  const connection = createDatabase()
  await openDatabase(connection, serverUrl('MONGO_URL'), uniqueName())
  cleanups.push(() => connection.close())
  cleanups.push(() => connection.dropDatabase())
  await connection.collection<{ _id: string }>('notes').insertOne({ _id: 'wanted' })
  return connection
}

async function startWatching(connection: Connection, options: Partial<StalledTransactionsOptions> = {}) {
  const watcher = createStalledTransactions({ connection, log, pollMs: 200, ...options })
  await watcher.start(new AbortController().signal)
  cleanups.push(() => watcher.stop())
}

/** Starts a client process that begins a transaction and never ends it. */
async function startStalledClient(connection: Connection) {
  const fixture = fileURLToPath(new URL('_fixture-transaction.mjs', import.meta.url))
  const client = fork(fixture, [serverUrl('MONGO_URL'), connection.db!.databaseName], { execArgv: [] })
  cleanups.push(() => client.kill('SIGKILL'))
  await new Promise(resolve => client.once('message', resolve))
  return client
}

/** The log messages about this database's client. Other tests may use the same server. */
function messagesAbout({ db }: Connection) {
  const entries = lines.map((line): { client: string; msg: string } => JSON.parse(line))
  return entries.filter(({ client }) => client === db!.databaseName).map(({ msg }) => msg)
}

const write = (connection: Connection, maxTimeMS?: number) =>
  connection
    .collection<{ _id: string }>('notes')
    .updateOne({ _id: 'wanted' }, { $set: { by: 'somebody' } }, maxTimeMS ? { maxTimeMS } : {})

test('the open transaction of a killed client is ended, and its document can be written', async () => {
  const connection = await openTestDatabase()
  const client = await startStalledClient(connection)
  const exited = new Promise(resolve => client.once('exit', resolve))
  client.kill('SIGKILL')
  await exited
  // MongoDB itself ends such a transaction only after a minute.
  await expect(write(connection, 300)).rejects.toThrow(/time limit/)
  await startWatching(connection)
  await write(connection, 30_000)
  await eventually(() =>
    expect(messagesAbout(connection)).toEqual(['idle transaction of a disconnected client aborted']),
  )
})

test('the idle transaction of a connected client is ended after stalledMs', async () => {
  const connection = await openTestDatabase()
  await startStalledClient(connection)
  await startWatching(connection, { stalledMs: 1_000 })
  await write(connection, 30_000)
  await eventually(() =>
    expect(messagesAbout(connection)).toEqual(['idle transaction aborted, its client gets an error and retries']),
  )
})

test('a transaction with activity is never ended, however long it takes', async () => {
  const connection = await openTestDatabase()
  const time = createManualClock()
  /** Every poll reads the time once, when it begins. */
  let polls = 0
  const clock = {
    now: () => {
      polls += 1
      return time.now()
    },
  }
  await startWatching(connection, { stalledMs: 3_000, clock })
  let runs = 0
  const notes = connection.collection<{ _id: string }>('notes')
  await inTransaction(connection, async session => {
    runs += 1
    for (let step = 0; step < 5; step += 1) {
      await notes.updateOne({ _id: 'wanted' }, { $set: { step } }, { session })
      // Together longer than the time after which a transaction counts as stalled.
      time.advance(1_000)
      const before = polls
      // When the third poll begins, the second one has seen the transaction idle and unchanged.
      await eventually(() => polls >= before + 3)
    }
  })
  expect(runs).toBe(1)
  expect(await notes.findOne()).toEqual({ _id: 'wanted', step: 4 })
})

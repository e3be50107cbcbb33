import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from '@jest/globals'
import { createDatabase, inTransaction, openDatabase } from '@watchline/kit/mongo/database'
import { createStalledTransactions } from '@watchline/kit/mongo/stalled-transactions'
import { createLogger } from '@watchline/kit/observability/log'
import { eventually, serverUrl } from '@watchline/testing/harness'
import type { Connection } from 'mongoose'
import { uniqueName } from './servers.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
  lines.length = 0
})

const lines: string[] = []
const log = createLogger('test', 'warn', { write: line => void lines.push(line) })

async function aDatabase(): Promise<Connection> {
  const connection = createDatabase()
  await openDatabase(connection, serverUrl('MONGO_URL'), uniqueName())
  undo.push(() => connection.close())
  undo.push(() => connection.dropDatabase())
  await connection.collection<{ _id: string }>('notes').insertOne({ _id: 'wanted' })
  return connection
}

async function look(connection: Connection, stalledMs?: number) {
  const part = createStalledTransactions({ connection, log, lookMs: 200, ...(stalledMs && { stalledMs }) })
  await part.start(new AbortController().signal)
  undo.push(() => part.stop())
}

/** A client that is in the middle of a transaction. */
async function aClient(connection: Connection) {
  const fixture = fileURLToPath(new URL('_fixture-transaction.mjs', import.meta.url))
  const client = fork(fixture, [serverUrl('MONGO_URL'), connection.db!.databaseName], { execArgv: [] })
  undo.push(() => client.kill('SIGKILL'))
  await new Promise(resolve => client.once('message', resolve))
  return client
}

/** Others may leave transactions behind on the same server. */
function endedOf({ db }: Connection) {
  const said = lines.map((line): { client: string; msg: string } => JSON.parse(line))
  return said.filter(({ client }) => client === db!.databaseName).map(({ msg }) => msg)
}

const write = (connection: Connection, maxTimeMS?: number) =>
  connection
    .collection<{ _id: string }>('notes')
    .updateOne({ _id: 'wanted' }, { $set: { by: 'somebody' } }, maxTimeMS ? { maxTimeMS } : {})

test('what a client wrote that was killed in the middle of a transaction can be written again', async () => {
  const connection = await aDatabase()
  const client = await aClient(connection)
  const gone = new Promise(resolve => client.once('exit', resolve))
  client.kill('SIGKILL')
  await gone
  // MongoDB by itself would keep it for a minute.
  await expect(write(connection, 300)).rejects.toThrow(/time limit/)
  await look(connection)
  await write(connection, 30_000)
  await eventually(() => expect(endedOf(connection)).toEqual(['a transaction was ended whose client is gone']))
})

test('a client that is there and gets no further is given up later', async () => {
  const connection = await aDatabase()
  await aClient(connection)
  await look(connection, 1_000)
  await write(connection, 30_000)
  await eventually(() =>
    expect(endedOf(connection)).toEqual(['a transaction was ended in which nothing happened any more']),
  )
})

test('a transaction in which something is done goes on, however long it takes', async () => {
  const connection = await aDatabase()
  await look(connection, 1_500)
  let runs = 0
  const notes = connection.collection<{ _id: string }>('notes')
  await inTransaction(connection, async session => {
    runs += 1
    for (let step = 0; step < 25; step += 1) {
      await notes.updateOne({ _id: 'wanted' }, { $set: { step } }, { session })
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  })
  expect(runs).toBe(1)
  expect(await notes.findOne()).toEqual({ _id: 'wanted', step: 24 })
})

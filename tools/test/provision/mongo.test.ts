import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import mongoose from 'mongoose'
import { runningMongo } from '../../src/provision/mongo.ts'
import { until } from '../../src/provision/wait.ts'
import { afterTest, firstLine, isRunning, killAndWait, startFixture, temporaryFolder } from '../_processes.ts'

async function notesAt(url: string) {
  const client = await mongoose.mongo.MongoClient.connect(url)
  afterTest(() => client.close())
  return client.db('test').collection<{ _id: string }>('notes')
}

const mongodPid = (dataDir: string) => Number(readFileSync(join(dataDir, 'mongod.lock'), 'utf8'))

describe('provisioned MongoDB', () => {
  test('starts again with its data after kill -9 of everything', async () => {
    const dataDir = temporaryFolder()
    const first = startFixture('mongo-parent', dataDir)
    const url = await firstLine(first)
    await (await notesAt(url)).insertOne({ _id: 'kept' }, { writeConcern: { w: 'majority', j: true } })
    process.kill(mongodPid(dataDir), 'SIGKILL')
    await killAndWait(first)

    const again = await firstLine(startFixture('mongo-parent', dataDir))

    expect(again).toBe(url)
    expect(await (await notesAt(again)).findOne()).toEqual({ _id: 'kept' })
  })

  test('starts again at once after its parent was killed, although the old one is still ending', async () => {
    const dataDir = temporaryFolder()
    const first = startFixture('mongo-parent', dataDir)
    await firstLine(first)
    await killAndWait(first)

    const again = await firstLine(startFixture('mongo-parent', dataDir))

    await (await notesAt(again)).insertOne({ _id: 'works' })
  })

  test('admits nobody without the password, which only the owner of the folder can read', async () => {
    const dataDir = temporaryFolder()
    const url = await firstLine(startFixture('mongo-parent', dataDir))
    const anonymous = new URL(url)
    expect(anonymous.password).toMatch(/^[0-9a-f]{48}$/)
    anonymous.username = ''
    anonymous.password = ''
    anonymous.searchParams.delete('authSource')
    await expect((await notesAt(anonymous.href)).findOne()).rejects.toThrow(/requires authentication/)
    for (const name of ['watchline-password', 'watchline-keyfile'])
      expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600)
    expect(await runningMongo(dataDir)).toBe(url)
  })

  test('keeps the data of a folder that an older version left without a user', async () => {
    const dataDir = temporaryFolder()
    const first = startFixture('mongo-parent', dataDir, 'without-password')
    const open = await firstLine(first)
    expect(new URL(open).username).toBe('')
    await (await notesAt(open)).insertOne({ _id: 'kept' }, { writeConcern: { w: 'majority', j: true } })
    await killAndWait(first)

    const guarded = await firstLine(startFixture('mongo-parent', dataDir))

    expect(new URL(guarded).username).toBe('watchline')
    expect(await (await notesAt(guarded)).findOne()).toEqual({ _id: 'kept' })
  })

  test('uses another port and stays a primary when its old port is in use', async () => {
    const dataDir = temporaryFolder()
    const first = startFixture('mongo-parent', dataDir)
    const url = await firstLine(first)
    const pid = mongodPid(dataDir)
    await killAndWait(first)
    await until(async () => !isRunning(pid), { condition: 'mongod has stopped', limitMs: 5 * 60_000 })
    const squatter = createServer(socket => socket.once('data', () => socket.destroy())).listen(
      Number(new URL(url).port),
      '127.0.0.1',
    )
    afterTest(() => squatter.close())

    const again = await firstLine(startFixture('mongo-parent', dataDir))

    expect(again).not.toBe(url)
    await (await notesAt(again)).insertOne({ _id: 'works' })
  })

  test('serves two folders side by side', async () => {
    const urls = await Promise.all(
      [temporaryFolder(), temporaryFolder()].map(folder => firstLine(startFixture('mongo-parent', folder))),
    )

    for (const url of urls) await (await notesAt(url)).insertOne({ _id: url })

    for (const url of urls) expect(await (await notesAt(url)).find().toArray()).toEqual([{ _id: url }])
  })

  test('refuses a folder that another instance uses, and does not disturb that instance', async () => {
    const dataDir = temporaryFolder()
    const url = await firstLine(startFixture('mongo-parent', dataDir))

    await expect(firstLine(startFixture('mongo-parent', dataDir))).rejects.toThrow(
      `${dataDir} is in use by another running instance. Stop it, or set DATA_DIR to another folder.`,
    )

    await (await notesAt(url)).insertOne({ _id: 'still up' })
  })
})

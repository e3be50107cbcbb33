import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { apiClient } from '@watchline/testing/api-client'
import { createTestWorld } from '@watchline/testing/harness'
import mongoose from 'mongoose'
import { createAuthService } from '../../../services/auth/src/service.ts'
import { authConfig } from '../../../services/auth/test/_config.ts'
import { askSecret, type Terminal } from '../../src/operator/ask-secret.ts'
import { runningMongo } from '../../src/provision/mongo.ts'
import { until } from '../../src/provision/wait.ts'
import { afterTest, firstLine, startFixture, temporaryFolder } from '../_processes.ts'

const admin = { name: 'First Admin', email: 'root@example.org', password: 'correct horse 9' }
const command = fileURLToPath(new URL('../../src/operator/admin.ts', import.meta.url))

/** Runs `npm run admin -- …` with typed input and its own environment. */
async function run(args: string[], typed: string, env: Record<string, string>) {
  const { MONGO_URL: _url, DATA_DIR: _folder, DATABASE_PREFIX: _prefix, ...parentEnv } = process.env
  const child = spawn(process.execPath, [command, ...args], { env: { ...parentEnv, ...env } })
  child.stdin.end(typed)
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, out, err }
}
const reset = (typed: string, env: Record<string, string>, email = admin.email) =>
  run(['reset-password', email], typed, env)

/** The auth service on a database, as it runs in the product. */
async function startAuth(mongoUrl: string, databasePrefix: string) {
  const world = await createTestWorld()
  const service = createAuthService(authConfig(world, { mongoUrl, databasePrefix }), world.ports)
  const revoked: string[] = []
  await world.ports.bus.subscribeLive({ types: ['session.revoked'] }, event =>
    revoked.push((event as { subject: string }).subject),
  )
  const { url } = await service.start()
  let running = true
  const stop = async () => {
    if (!running) return
    running = false
    await service.stop()
    await world.close()
  }
  afterTest(stop)
  const login = (password: string) => apiClient(url).post('/admin/login', { email: admin.email, password })
  return { url, revoked, login, stop }
}

async function authDatabase(mongoUrl: string, databasePrefix: string) {
  const client = await mongoose.mongo.MongoClient.connect(mongoUrl)
  afterTest(() => client.close())
  return client.db(`${databasePrefix}-auth`)
}

async function stopFixture(child: ChildProcess) {
  child.kill('SIGTERM')
  await once(child, 'exit')
}

describe('npm run admin -- reset-password', () => {
  test('changes the password in a data folder, while Watchline runs and while it is stopped', async () => {
    const dataDir = temporaryFolder()
    const env = { DATA_DIR: dataDir }
    const mongoFolder = join(dataDir, 'mongo')
    const first = startFixture('mongo-parent', mongoFolder)
    const auth = await startAuth(await firstLine(first), 'watchline')
    expect((await apiClient(auth.url).post('/admin/setup', admin)).status).toBe(200)
    expect((await auth.login(admin.password)).status).toBe(200)

    const whileRunning = await reset('second password\n', env, ' Root@Example.org')
    expect(whileRunning).toMatchObject({ code: 0, out: expect.stringContaining('1 sign-in was ended') })
    expect(whileRunning.out + whileRunning.err).not.toContain('second password')
    await until(async () => auth.revoked.length === 1, { condition: 'session.revoked', limitMs: 5 * 60_000 })
    expect((await auth.login(admin.password)).status).toBe(401)
    expect((await auth.login('second password')).status).toBe(200)

    await auth.stop()
    await stopFixture(first)
    expect(await reset('third password', env)).toMatchObject({ code: 0, out: expect.stringContaining('1 sign-in was') })
    expect(await runningMongo(mongoFolder)).toBeUndefined()

    const mongoUrl = await firstLine(startFixture('mongo-parent', mongoFolder))
    const restarted = await startAuth(mongoUrl, 'watchline')
    expect((await restarted.login('second password')).status).toBe(401)
    expect((await restarted.login('third password')).status).toBe(200)
    await until(async () => restarted.revoked.length === 1, { condition: 'session.revoked', limitMs: 5 * 60_000 })
    const audit = (await authDatabase(mongoUrl, 'watchline')).collection('audit')
    expect(await audit.find({ action: 'password_changed' }).toArray()).toMatchObject([
      { by: null, actor: 'operator', subject: { email: admin.email }, after: { ended_sessions: 1 } },
      { by: null, actor: 'operator', subject: { email: admin.email }, after: { ended_sessions: 1 } },
    ])
  })

  test('uses MONGO_URL and DATABASE_PREFIX like the services', async () => {
    const mongoUrl = process.env.MONGO_URL!
    const databasePrefix = `t${process.pid}-${Date.now() % 1e9}`
    const database = await authDatabase(mongoUrl, databasePrefix)
    afterTest(() => database.dropDatabase())
    const auth = await startAuth(mongoUrl, databasePrefix)
    const env = { MONGO_URL: mongoUrl, DATABASE_PREFIX: databasePrefix }
    expect(await reset('new password', env)).toMatchObject({
      code: 1,
      err: 'No administrator has been set up here yet.\n',
    })
    await apiClient(auth.url).post('/admin/setup', admin)

    expect(await reset('seven77\n', env)).toMatchObject({
      code: 1,
      err: 'Password must be at least 8 characters long\n',
    })
    expect(await reset('', env)).toMatchObject({ code: 1, err: 'Nothing was typed, so nothing has changed.\n' })
    expect(await reset('new password', env, 'rot@example.org')).toMatchObject({
      code: 1,
      err: 'No administrator has the address rot@example.org. The administrators are: root@example.org.\n',
    })
    expect((await auth.login(admin.password)).status).toBe(200)
    expect(await reset('new password', env)).toMatchObject({ code: 0 })
    expect((await auth.login('new password')).status).toBe(200)
    expect(await reset('watchline123', env)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^Password must have/),
    })

    const verified = await run(['verify-audit'], '', env)
    expect(verified).toMatchObject({
      code: 0,
      out: expect.stringMatching(/entries are as they were written, from 1 to/),
    })
    const checkpoint = /^Checkpoint: (.*)$/m.exec(verified.out)![1]!
    const audit = database.collection('audit')
    const [first] = await audit.find({ seq: 1 }).toArray()
    await audit.deleteOne({ seq: 1 })
    expect(await run(['verify-audit'], '', env)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^The audit log was changed\. Entry 2 \(id \w+\) is the first one/),
    })
    expect(await run(['verify-audit', '--first', '2'], '', env)).toMatchObject({ code: 0 })
    await audit.insertOne(first!)
    await audit.updateOne({ seq: 2 }, { $set: { at: new Date(0) } })
    expect(await run(['verify-audit', '--checkpoint', checkpoint], '', env)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^The audit log was changed\. Entry 2 \(id \w+\) has other facts/),
    })
  })

  test('has a command that removes lost second factors', async () => {
    const mongoUrl = process.env.MONGO_URL!
    const databasePrefix = `t${process.pid}-${Date.now() % 1e9}f`
    const database = await authDatabase(mongoUrl, databasePrefix)
    afterTest(() => database.dropDatabase())
    const auth = await startAuth(mongoUrl, databasePrefix)
    const env = { MONGO_URL: mongoUrl, DATABASE_PREFIX: databasePrefix }
    await apiClient(auth.url).post('/admin/setup', admin)
    const remove = () => run(['remove-second-factors', ' Root@Example.org'], '', env)
    expect(await remove()).toMatchObject({ code: 0, out: expect.stringContaining('has no second factor.') })

    const { _id: person_id } = (await database.collection('credentials').findOne({}))!
    const factor = { person_id, kind: 'totp', name: 'Phone', added_at: new Date(), sealed_secret: 'x', last_step: 1 }
    await database.collection('second_factors').insertOne(factor)
    await database.collection('recovery_codes').insertOne({ _id: person_id, hashes: ['x'] })
    expect((await auth.login(admin.password)).json.code).toBe('second_factor_required')
    expect(await remove()).toMatchObject({ code: 0, out: expect.stringContaining('1 removed') })
    expect((await auth.login(admin.password)).status).toBe(200)
    expect(await database.collection('recovery_codes').countDocuments()).toBe(0)
    expect(await database.collection('audit').find({ action: 'second_factor_removed' }).toArray()).toMatchObject([
      { by: null, subject: { email: admin.email }, before: { second_factors: 1 } },
    ])
  })

  test('reports a folder without data and creates nothing there', async () => {
    const dataDir = temporaryFolder()
    const { code, err } = await reset('new password', { DATA_DIR: dataDir })
    expect([code, err]).toEqual([1, expect.stringContaining(`There are no data in ${dataDir}.`)])
    expect(await reset('new password', { MONGO_URL: 'localhost' })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^MONGO_URL: .* accepted is a mongodb:\/\/ address of a replica set\n$/),
    })
  })

  test.each([
    [[]],
    [['reset-password']],
    [['reset-password', 'a', 'b']],
    [['remove', 'a']],
    [['verify-audit', 'a', 'b']],
    [['verify-audit', '--fix']],
  ])('prints its usage when called with %j', async args => {
    expect(await run(args, '', {})).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^usage: npm run admin -- reset-password <email>\n[\s\S]*verify-audit \[file\]/),
    })
  })
})

describe('asking for a secret at a terminal', () => {
  function terminal() {
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => raws.push(raw) })
    const raws: boolean[] = []
    const output = new PassThrough()
    return { terminal: { input, output } as unknown as Terminal, input, output, raws }
  }

  test('does not show typed characters, and handles backspace', async () => {
    const { terminal: fakeTerminal, input, output, raws } = terminal()
    const answer = askSecret('New password: ', fakeTerminal)
    for (const key of ['s', 'e', 'x', '\x7f', 'cret', '\r']) input.write(key)
    expect(await answer).toBe('secret')
    expect(String(output.read())).toBe('New password: \n')
    expect(raws).toEqual([true, false])
  })

  test.each([
    ['Ctrl+C', '\x03'],
    ['Ctrl+D', '\x04'],
  ])('ends with %s', async (_name, key) => {
    const { terminal: fakeTerminal, input, raws } = terminal()
    const answer = askSecret('New password: ', fakeTerminal)
    input.write(key)
    await expect(answer).rejects.toThrow('Nothing was typed, so nothing has changed.')
    expect(raws.at(-1)).toBe(false)
  })
})

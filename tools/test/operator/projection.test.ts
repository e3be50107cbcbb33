import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually, serverUrl } from '@watchline/testing/harness'
import { type ChatWorld, startChat } from '../../../services/chat/test/_util.ts'
import { temporaryFolder } from '../_processes.ts'

const command = fileURLToPath(new URL('../../src/operator/projection.ts', import.meta.url))

/** Runs `npm run projection -- …`. */
async function run(args: string[], env: Record<string, string>) {
  const { MONGO_URL: _url, DATA_DIR: _folder, DATABASE_PREFIX: _prefix, ...parentEnv } = process.env
  const child = spawn(process.execPath, [command, ...args], { env: { ...parentEnv, ...env } })
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, lines: out.split('\n').filter(Boolean), err }
}

let world: ChatWorld
let env: Record<string, string>
beforeAll(async () => {
  world = await startChat({ replicas: 2, bus: 'rabbitmq', live: 'redis', noRateLimit: true })
  env = { MONGO_URL: serverUrl('MONGO_URL'), DATABASE_PREFIX: world.config.databasePrefix }
})
afterAll(() => world.stop())

describe('npm run projection -- rebuild chat', () => {
  test('corrects the people of chat while both replicas serve, and no call fails', async () => {
    const { supervisor, trainee } = world.createPair()
    const crowd = Array.from({ length: 1_100 }, () => world.addPerson())
    await world.publishPeople(supervisor, trainee, ...crowd)
    await eventually(async () => expect(await world.collection('people').countDocuments()).toBe(1_102))
    expect((await world.send(trainee, supervisor, 'Good morning')).status).toBe(200)

    await world.collection('people').updateOne({ _id: trainee.id }, { $set: { name: 'Wrong Name' } })
    await world.collection('people').insertOne({ ...(await world.collection('people').findOne())!, _id: 'nobody' })
    await world.collection('people').deleteMany({ _id: { $in: crowd.slice(0, 300).map(person => person.id) } })
    const readRooms = async (replica: number) => JSON.stringify(await world.listRooms(supervisor, '', replica))
    for (const replica of [0, 1]) await eventually(async () => expect(await readRooms(replica)).toContain('Wrong Name'))

    let serving = true
    const statuses = new Set<number>()
    const load = (async () => {
      for (let index = 0; serving; index += 1) {
        const replica = index % 2
        statuses.add((await world.callAs(supervisor, replica).get('/chat/rooms')).status)
        statuses.add((await world.callAs(supervisor, replica).get('/chat/unread-count')).status)
      }
    })()
    const { code, lines } = await run(['rebuild', 'chat'], env)
    serving = false
    await load
    expect([code, [...statuses]]).toEqual([0, [200]])
    expect(lines[0]).toBe('people: rebuild requested')
    expect(lines.at(-1)).toMatch(/^people: done in [\d.]+ s: 1102 checked, 300 added, 1 corrected, 1 removed$/)
    for (const replica of [0, 1]) await eventually(async () => expect(await readRooms(replica)).toContain(trainee.name))
    expect(await world.collection('people').countDocuments()).toBe(1_102)
  })

  test('two concurrent requests share one rebuild', async () => {
    const results = await Promise.all([
      run(['rebuild', 'chat', 'people'], env),
      run(['rebuild', 'chat', 'people'], env),
    ])
    expect(results.map(result => result.code)).toEqual([0, 0])
    expect(results.map(result => result.lines.at(-1))).toEqual(Array(2).fill(expect.stringMatching(/^people: done/)))
  })

  test('reports an invalid request in one line', async () => {
    for (const args of [[], ['rebuild', 'auth']])
      expect([args, await run(args, env)]).toEqual([
        args,
        { code: 2, lines: [], err: expect.stringContaining('usage:') },
      ])
    const unknown = await run(['rebuild', 'chat', 'peple'], env)
    expect([unknown.code, unknown.err]).toEqual([1, 'chat has no projection "peple". It has people.\n'])
    const never = await run(['rebuild', 'engagement'], env)
    expect([never.code, never.err]).toEqual([1, expect.stringContaining('has no projections')])
    const nowhere = await run(['rebuild', 'chat'], { DATA_DIR: temporaryFolder() })
    expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining('Set MONGO_URL')])
  })
})

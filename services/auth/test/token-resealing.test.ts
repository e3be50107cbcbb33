import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { createSecretBox, type SecretBox } from '@watchline/kit/core/secret-box'
import { eventually } from '@watchline/testing/harness'
import jwt from 'jsonwebtoken'
import mongoose from 'mongoose'
import { createAuthService } from '../src/service.ts'
import { type Browser, type FakeProvider, signInAt, startAuthWithProvider } from './_provider-sign-in.ts'
import { type AuthWorld, createBrowser } from './_util.ts'

interface StoredSession {
  _id: string
  person_id: string
  provider_token?: string
  provider_token_key?: string
}

const day = 24 * 3_600_000
const purpose = 'token of a sign-in provider'
const nextSecret = 'the next cookie secret, 32 letters or more'
let auth: AuthWorld
let provider: FakeProvider
let currentBox: SecretBox
const nextBox = createSecretBox([nextSecret], purpose)
beforeAll(async () => {
  const people = { idleMs: 2 * day, absoluteMs: 30 * day }
  ;({ auth, provider } = await startAuthWithProvider({}, { sessionLifetimes: { people, admins: people } }))
  currentBox = createSecretBox(auth.config.cookieSecrets, purpose)
})
afterAll(async () => {
  await auth.stop()
  await provider.stop()
})
afterEach(() => sessions().deleteMany({}))

const sessions = () => auth.database.collection<StoredSession>('sessions')
const findToken = async (id: string) => (await sessions().findOne({ _id: id }))?.provider_token

/** Stores sessions whose tokens have the form that `seal` makes. */
async function addSessions(count: number, seal: (token: string, personId: string) => Partial<StoredSession>) {
  const start = await sessions().countDocuments()
  const expires = new Date(auth.clock.now() + day)
  const rows = Array.from({ length: count }, (_, index) => {
    const id = `${start + index}`
    const times = { ended_at: null, expires_at: expires, provider_check_at: expires }
    return { _id: id, person_id: id, ...times, ...seal(`token ${id}`, id) }
  })
  await sessions().insertMany(rows)
}
/** As versions without the id of the key stored them. */
const sealAsBefore = (token: string, personId: string) => ({
  provider_token: currentBox.seal(token, personId).split('.').slice(0, 3).join('.'),
})
const sealWithNext = (token: string, personId: string) => ({
  provider_token: nextBox.seal(token, personId),
  provider_token_key: nextBox.keyId,
})
/** The sessions whose token only the previous secret opens. */
async function findUnsealed(): Promise<StoredSession[]> {
  const rows = await sessions().find().toArray()
  return rows.filter(row => nextBox.open(row.provider_token!, row.person_id) !== `token ${row._id}`)
}

/**
 * A replica with the next secret. It counts its reads of sessions and its write commands on them.
 */
function createReplica() {
  const mongoUrl = new URL(auth.config.mongoUrl)
  mongoUrl.searchParams.set('monitorCommands', 'true')
  const counts = { read: 0, writes: 0 }
  const before = new Set(mongoose.connections)
  const cookieSecrets = [nextSecret, ...auth.config.cookieSecrets] as const
  const service = createAuthService({ ...auth.config, mongoUrl: mongoUrl.href, cookieSecrets }, auth.world.ports)
  const connection = mongoose.connections.find(candidate => !before.has(candidate))!
  connection.once('connected', () => {
    const client = connection.getClient()
    client.on('commandStarted', ({ commandName, command }) => {
      if (commandName === 'update' && command.update === 'sessions') counts.writes += 1
    })
    client.on('commandSucceeded', ({ commandName, reply }) => {
      if (commandName !== 'find' && commandName !== 'getMore') return
      const { ns, firstBatch, nextBatch } = (reply as { cursor: Record<string, unknown> }).cursor
      if (`${ns}`.endsWith('.sessions')) counts.read += ((firstBatch ?? nextBatch) as unknown[]).length
    })
  })
  return {
    service,
    counts,
    /** Its bulk writes of sessions wait until the returned function is called. */
    holdWrites: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const model = connection.models.Session!
      const bulkWrite = model.bulkWrite.bind(model) as (...args: unknown[]) => Promise<unknown>
      Object.assign(model, { bulkWrite: (...args: unknown[]) => promise.then(() => bulkWrite(...args)) })
      return resolve
    },
  }
}

test('replicas that start together seal all tokens with the new secret, in few writes', async () => {
  // An earlier process has died in between.
  await addSessions(1_200, sealAsBefore)
  await addSessions(300, sealWithNext)
  const replicas = [createReplica(), createReplica()]
  await Promise.all(replicas.map(({ service }) => service.start()))
  await eventually(async () => (await findUnsealed()).length === 0)
  for (const { service } of replicas) await service.stop()
  expect(await sessions().distinct('provider_token_key')).toEqual([nextBox.keyId])
  for (const { counts } of replicas) expect(counts.writes).toBeLessThan(10)
})

test('a start without a new secret reads no token', async () => {
  await addSessions(20, sealWithNext)
  const { service, counts } = createReplica()
  await service.start()
  await service.stop()
  expect(counts).toEqual({ read: 0, writes: 0 })
})

test('before and after its token is sealed again, a session is checked at the provider', async () => {
  const [early, late] = [await signIn('early-token'), await signIn('late-token')]
  const { service, holdWrites } = createReplica()
  const release = holdWrites()
  const { url } = await service.start()
  const stored = await findToken(sidOf(late))
  auth.clock.advance(day)
  // The service is ready, and no token is sealed again yet.
  expect([await refreshAt(url, early), presented()]).toEqual([200, ['early-token']])
  const renewed = await findToken(sidOf(early))
  release()
  await eventually(async () => (await findToken(sidOf(late))) !== stored)
  expect([await refreshAt(url, late), presented()]).toEqual([200, ['early-token', 'late-token']])
  expect(await findToken(sidOf(early))).toBe(renewed)
  await service.stop()
})

async function signIn(refreshToken: string): Promise<Browser> {
  provider.state.tokens = { refresh_token: refreshToken }
  const { browser, sessionId } = await signInAt(auth, provider, { sub: refreshToken })
  await browser.post('/api/auth/login', { session_id: sessionId })
  return browser
}
const sidOf = (browser: Browser) => (jwt.decode(browser.token()) as unknown as { sid: string }).sid
/** The status of a refresh at another replica. */
async function refreshAt(url: string, browser: Browser): Promise<number> {
  const moved = createBrowser(url, auth.config.publicUrl)
  for (const [name, cookie] of browser.jar) moved.jar.set(name, cookie)
  return (await moved.post('/api/auth/refresh', {})).status
}
/** The refresh tokens that the provider got. */
const presented = () =>
  provider.state.tokenRequests
    .filter(({ body }) => body.get('grant_type') === 'refresh_token')
    .map(({ body }) => body.get('refresh_token'))

test('a token that no secret opens stays as it is', async () => {
  const foreign = createSecretBox(['a secret that is lost, 32 letters or more'], purpose)
  await addSessions(1, (token, personId) => ({ provider_token: foreign.seal(token, personId) }))
  await addSessions(1, sealAsBefore)
  const stored = await findToken('0')
  const { service } = createReplica()
  await service.start()
  await eventually(async () => (await findUnsealed()).length === 1)
  await service.stop()
  expect(await findToken('0')).toBe(stored)
})

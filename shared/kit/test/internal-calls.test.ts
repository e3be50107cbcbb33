import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { defineInternalOperation, keyPage } from '@watchline/contracts/internal-operations'
import { fail } from '@watchline/kit/core/errors'
import { createInternalClient, type InternalClient } from '@watchline/kit/http/internal-client'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import { createTestWorld, type TestWorld } from '@watchline/testing/harness'
import { z } from 'zod'
import { startTestService } from './_service.ts'

const getThing = defineInternalOperation({
  name: 'getThing',
  service: 'playback-session',
  callers: ['engagement'],
  method: 'GET',
  path: '/things/{owner}/{name}',
  params: z.object({ owner: z.string().max(10), name: z.string().max(10) }),
  response: z.object({ owner: z.string(), name: z.string() }),
})
const listThings = defineInternalOperation({
  name: 'listThings',
  service: 'playback-session',
  callers: ['engagement'],
  method: 'GET',
  path: '/things',
  query: keyPage,
  response: z.object({ after: z.string(), limit: z.number() }),
})
const getMisfit = defineInternalOperation({
  name: 'getMisfit',
  service: 'playback-session',
  callers: ['engagement'],
  method: 'GET',
  path: '/misfit',
  response: z.object({ count: z.number() }),
})
/** The same operation as {@link getMisfit} in another version of the service. */
const getMisfitInOtherVersion = { ...getMisfit, response: z.any() }

let world: TestWorld
let url: string
let client: InternalClient
let stop: () => Promise<void>

beforeAll(async () => {
  world = await createTestWorld()
  const service = await startTestService(world, {
    internalRoutes: [
      defineInternalRoute(getThing, async ({ params }) => {
        if (params.name === 'unknown') fail('not_found')
        if (params.name === 'broken') fail('unavailable')
        return params
      }),
      defineInternalRoute(listThings, async ({ query }) => query),
      defineInternalRoute(getMisfitInOtherVersion, async () => ({ count: 'many' })),
    ],
  })
  url = service.url
  client = createInternalClient({ url, credentials: world.credentialsOf('engagement') })
  stop = () => service.service.stop()
})
afterAll(async () => {
  await stop()
  await world.close()
})

const findThing = (name: string, by = client) => by.find(getThing, { params: { owner: 'me', name } })

test('params and query arrive unchanged', async () => {
  expect(await findThing('a/b c?d:é')).toEqual({ owner: 'me', name: 'a/b c?d:é' })
  expect(await client.call(listThings, { query: { after: 'a:b&c', limit: 7 } })).toEqual({ after: 'a:b&c', limit: 7 })
})

test('a page has a default size', async () => {
  const headers = world.credentialsOf('engagement').headersFor('playback-session')
  expect(await (await fetch(`${url}/internal/things`, { headers })).json()).toEqual({ after: '', limit: 100 })
})

test('for an unknown object find returns undefined and call rejects', async () => {
  expect(await findThing('unknown')).toBeUndefined()
  await expect(client.call(getThing, { params: { owner: 'me', name: 'unknown' } })).rejects.toThrow('getThing')
})

test('an error names the operation, never its input', async () => {
  await expect(findThing('broken')).rejects.toThrow('the playback-session service answered 503 to getThing')
  await expect(client.call(listThings, { query: { after: '', limit: 1_001 } })).rejects.toThrow('answered 422')
})

test('a response that does not match the contract is refused', async () => {
  await expect(client.call(getMisfit, {})).rejects.toThrow(z.ZodError)
})

test('without a credential every operation responds as unknown', async () => {
  expect((await fetch(`${url}/internal/things`)).status).toBe(404)
})

test('a refused service gets an error, never the answer of an unknown object', async () => {
  const stranger = createInternalClient({ url, credentials: world.credentialsOf('chat') })
  await expect(findThing('a', stranger)).rejects.toThrow('the playback-session service answered 403 to getThing')
})

test('an aborted call rejects', async () => {
  await expect(client.find(getThing, { params: { owner: 'me', name: 'a' } }, AbortSignal.abort())).rejects.toThrow()
})

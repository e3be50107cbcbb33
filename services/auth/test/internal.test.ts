import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  getGroupSnapshot,
  getPersonSnapshot,
  internalOperations,
  listGroupMemberIds,
  listPersonSnapshots,
  listPersonSnapshotsById,
} from '@watchline/contracts/internal-operations'
import { limits } from '@watchline/contracts/limits'
import type { ServiceName } from '@watchline/contracts/operation'
import { createInternalClient, type InternalClient } from '@watchline/kit/http/internal-client'
import { internalRoutes } from '../src/routes/index.ts'
import { type AuthWorld, type Person, startAuth } from './_util.ts'

let auth: AuthWorld
let client: InternalClient
let admin: Person
let supervisor: Person
let trainee: Person

beforeAll(async () => {
  auth = await startAuth()
  client = createInternalClient({ url: auth.url, credentials: auth.world.credentialsOf('chat') })
  admin = await auth.addPerson('admin')
  supervisor = await auth.addPerson('supervisor')
  trainee = await auth.addPerson('user')
  for (let count = 0; count < 4; count += 1) await auth.addPerson('user')
  await auth.callAs(admin).put(`/admin/users/${trainee.id}/supervisor?supervisor_id=${supervisor.id}`)
})
afterAll(() => auth.stop())

const statusOf = async (path: string, caller?: ServiceName) => {
  const headers = caller === undefined ? {} : auth.world.credentialsOf(caller).headersFor('auth')
  return (await fetch(`${auth.url}/internal${path}`, { headers })).status
}

test('every internal operation of this service is mounted', () => {
  const declared = internalOperations.filter(operation => operation.service === 'auth')
  expect(internalRoutes.map(route => route.operation)).toEqual(declared)
})

test('answers need the credential of a service with people', async () => {
  for (const path of ['/people', `/people/${trainee.id}`]) {
    expect([path, await statusOf(path, 'chat')]).toEqual([path, 200])
    expect([path, await statusOf(path)]).toEqual([path, 404])
    expect([path, await statusOf(path, 'auth')]).toEqual([path, 403])
  }
})

test('only engagement reads the members of a group, page by page in the order of their ids', async () => {
  const members = [trainee, await auth.addPerson('user'), await auth.addPerson('user')].map(({ id }) => id).sort()
  const { json } = await auth.callAs(admin).post('/groups', { name: 'Warehouse', source: { kind: 'manual' } })
  await auth.callAs(admin).post(`/groups/${json.group.id}/members`, { user_ids: members })
  const engagement = createInternalClient({ url: auth.url, credentials: auth.world.credentialsOf('engagement') })
  const readPage = (after: string, viewer_id?: string) =>
    engagement.find(listGroupMemberIds, {
      params: { id: json.group.id },
      query: { after, limit: 2, ...(viewer_id !== undefined && { viewer_id }) },
    })
  expect(await readPage('')).toEqual(members.slice(0, 2))
  expect(await readPage(members[1]!)).toEqual(members.slice(2))
  expect(await readPage('', admin.id)).toEqual(members.slice(0, 2))
  const readGroup = (viewer_id?: string) =>
    engagement.find(getGroupSnapshot, {
      params: { id: json.group.id },
      query: viewer_id === undefined ? {} : { viewer_id },
    })
  for (const viewer of [undefined, admin.id])
    expect(await readGroup(viewer)).toEqual({ id: json.group.id, name: 'Warehouse' })
  for (const viewer of [supervisor.id, trainee.id, 'nobody']) {
    expect(await readPage('', viewer)).toBeUndefined()
    expect(await readGroup(viewer)).toBeUndefined()
  }
  expect([await statusOf(`/groups/${json.group.id}`, 'chat'), await statusOf(`/groups/${json.group.id}`)]).toEqual([
    403, 404,
  ])
  const path = `/groups/${json.group.id}/members`
  expect([await statusOf(path, 'chat'), await statusOf(path), await statusOf(`${path}?limit=0`, 'engagement')]).toEqual(
    [403, 404, 422],
  )
})

test('only engagement reads the groups of people', async () => {
  const path = `/groups-of-people?person_ids=${trainee.id}`
  expect([await statusOf(path, 'chat'), await statusOf(path), await statusOf(path, 'engagement')]).toEqual([
    403, 404, 200,
  ])
  const tooMany = Array.from({ length: limits.idListMax + 1 }, (_, index) => `person${index}`).join()
  for (const query of ['', '?person_ids=', '?person_ids=no%20id', `?person_ids=${tooMany}`])
    expect([query, await statusOf(`/groups-of-people${query}`, 'engagement')]).toEqual([query, 422])
})

test('the list has everybody, administrators too, page by page in the order of their ids', async () => {
  const ids: string[] = []
  for (;;) {
    const page = await client.call(listPersonSnapshots, { query: { after: ids.at(-1) ?? '', limit: 3 } })
    ids.push(...page.map(person => person.id))
    if (page.length < 3) break
  }
  expect(ids).toEqual([...ids].sort())
  expect(ids).toHaveLength(await auth.database.collection('people').countDocuments())
  expect(ids).toContain(admin.id)
})

test.each(['limit=-1', 'limit=1001', 'limit=x', `after=${'x'.repeat(151)}`])('the list refuses ?%s', async query => {
  expect(await statusOf(`/people?${query}`, 'chat')).toBe(422)
})

test('engagement reads many people by their ids, without those who are unknown', async () => {
  const engagement = createInternalClient({ url: auth.url, credentials: auth.world.credentialsOf('engagement') })
  const people = await engagement.call(listPersonSnapshotsById, { query: { ids: [trainee.id, 'nobody', admin.id] } })
  expect(people.map(({ id }) => id).sort()).toEqual([trainee.id, admin.id].sort())
  expect(people.find(({ id }) => id === trainee.id)).toEqual(
    await client.find(getPersonSnapshot, { params: { id: trainee.id } }),
  )
  const path = `/people-by-id?ids=${trainee.id}`
  expect([await statusOf(path, 'chat'), await statusOf(path), await statusOf(path, 'engagement')]).toEqual([
    403, 404, 200,
  ])
  expect(await statusOf('/people-by-id', 'engagement')).toBe(422)
})

test('one person can be read, and an unknown one is undefined', async () => {
  const person = await client.find(getPersonSnapshot, { params: { id: trainee.id } })
  expect(person).toMatchObject({ supervisor_id: supervisor.id, version: 2 })
  expect(await client.find(getPersonSnapshot, { params: { id: 'nobody' } })).toBeUndefined()
  expect(await statusOf('/people/no%20id', 'chat')).toBe(404)
})

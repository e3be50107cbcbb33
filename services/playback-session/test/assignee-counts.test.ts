import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { eventually } from '@watchline/testing/harness'
import {
  assignPlaylist,
  type Caller,
  callAs,
  collectionOf,
  createPlaybackWorld,
  createPlaylist,
  createTeamWithPlaylist,
  type PlaybackWorld,
} from './_util.ts'

let world: PlaybackWorld
let url: string
let otherUrl: string
let director: Caller
beforeAll(async () => {
  world = await createPlaybackWorld()
  url = (await world.start()).url
  otherUrl = (await world.start()).url
  director = callAs(world, url, world.addPerson('director'))
})
afterAll(() => world.close())

interface ListedPlaylist {
  id: string
  assigned_users: string[]
  assigned_count: number
  assigned_date: string | null
}

const longAgo = Date.parse('2026-01-01T00:00:00Z')

/** Gives a playlist to people of other teams, the later ones later, as a group of them has it. */
async function insertAssignees(playlistId: string, count: number, prefix = 'member'): Promise<void> {
  await collectionOf(world, 'assignments').insertMany(
    Array.from({ length: count }, (_, index) => ({
      ...{ _id: `${prefix}${index}:${playlistId}`, person_id: `${prefix}${index}`, playlist_id: playlistId },
      ...{ assigned_by: 'director', assigned_date: new Date(longAgo + index), status: 'assigned' },
    })),
  )
}

async function list(caller: Caller, query = ''): Promise<ListedPlaylist[]> {
  const answer = await caller.get(`/playlists${query}`)
  expect(answer.status).toBe(200)
  return answer.json
}

async function find(caller: Caller, id: string, query = ''): Promise<ListedPlaylist> {
  const found = (await list(caller, query)).find(playlist => playlist.id === id)
  if (!found) throw new Error(`no playlist ${id}`)
  return found
}

const waitForCount = (caller: Caller, id: string, count: number) =>
  eventually(async () => expect((await find(caller, id)).assigned_count).toBe(count))

test('above the bound a playlist lists its latest people, and its count is true', async () => {
  const { boss, team, trainee, playlist } = await createTeamWithPlaylist(world, url, 3)
  const more = limits.assignMaxPeople + 500
  await insertAssignees(playlist.id, more)
  await waitForCount(director, playlist.id, more + 3)
  const { assigned_users } = await find(director, playlist.id)
  expect(assigned_users).toHaveLength(limits.assignMaxPeople)
  expect(new Set(assigned_users).size).toBe(limits.assignMaxPeople)
  expect(assigned_users).toEqual(expect.arrayContaining(team.map(({ id }) => id)))
  expect(assigned_users.slice(3, 5)).toEqual([`member${more - 1}`, `member${more - 2}`])
  expect((await director.get(`/playlists/${playlist.id}`)).json.assigned_count).toBe(more + 3)

  // A supervisor's count is that of the own team, and a trainee's their own.
  expect(await find(boss, playlist.id)).toMatchObject({ assigned_count: 3 })
  expect((await find(boss, playlist.id)).assigned_users.sort()).toEqual(team.map(({ id }) => id).sort())
  const own = { assigned_count: 1, assigned_users: [trainee.id] }
  expect(await find(callAs(world, url, trainee), playlist.id)).toMatchObject(own)
  expect((await callAs(world, url, trainee).get('/playlists/assigned')).json).toMatchObject([own])
})

test('the answer of an assignment and of its end has the new count, in any number', async () => {
  const { playlist } = await createTeamWithPlaylist(world, url, 1)
  await insertAssignees(playlist.id, limits.assignMaxPeople)
  await waitForCount(director, playlist.id, limits.assignMaxPeople + 1)
  const people = [world.addPerson('user'), world.addPerson('user')]
  const body = { assigned_users: people.map(({ id }) => id) }
  const assigned = await director.put(`/playlists/${playlist.id}/assign`, body)
  expect(assigned.json.playlist.assigned_count).toBe(limits.assignMaxPeople + 3)
  const repeated = await director.put(`/playlists/${playlist.id}/assign`, body)
  expect(repeated.json).toMatchObject({ assigned: 0, playlist: { assigned_count: limits.assignMaxPeople + 3 } })
  expect((await find(director, playlist.id)).assigned_count).toBe(limits.assignMaxPeople + 3)
  const unassigned = await director.delete(`/playlists/${playlist.id}/assign`, body)
  expect(unassigned.json.playlist.assigned_count).toBe(limits.assignMaxPeople + 1)
  expect((await find(director, playlist.id)).assigned_count).toBe(limits.assignMaxPeople + 1)
})

test('concurrent assignments through two replicas are all counted by both', async () => {
  const { playlist } = await createTeamWithPlaylist(world, url, 1)
  await insertAssignees(playlist.id, 150)
  const otherDirector = callAs(world, otherUrl, world.addPerson('director'))
  await waitForCount(director, playlist.id, 151)
  await waitForCount(otherDirector, playlist.id, 151)
  const people = Array.from({ length: 8 }, () => world.addPerson('user'))
  await Promise.all([
    ...people.map((person, index) => assignPlaylist(index % 2 ? director : otherDirector, playlist.id, person)),
    ...Array.from({ length: 8 }, () => list(director)),
  ])
  await waitForCount(director, playlist.id, 159)
  await waitForCount(otherDirector, playlist.id, 159)
})

test('an update of a task changes no count, and the end of many is counted', async () => {
  const { team, playlist } = await createTeamWithPlaylist(world, url, 2)
  await insertAssignees(playlist.id, 200)
  await waitForCount(director, playlist.id, 202)
  await director.put(`/playlists/${playlist.id}/assign/override`, {
    ...{ assigned_users: [team[0]!.id], action: 'exempt', reason: 'On leave', change_id: crypto.randomUUID() },
  })
  expect((await find(director, playlist.id)).assigned_count).toBe(202)
  await collectionOf(world, 'assignments').deleteMany({ playlist_id: playlist.id, person_id: /^member/ })
  await waitForCount(director, playlist.id, 2)
})

test('the playlists of an answer share the bound: short lists are whole, long ones have the same length', async () => {
  const short = await createTeamWithPlaylist(world, url, 2, { title: 'Sharing' })
  const unassigned = await createPlaylist(director, { title: 'Sharing' })
  const long = await Promise.all(Array.from({ length: 7 }, () => createPlaylist(director, { title: 'Sharing' })))
  const count = 900
  for (const { id } of long) await insertAssignees(id, count)
  const listed = () => list(director, '?search=sharing')
  await eventually(async () =>
    expect((await listed()).map(playlist => playlist.assigned_count).sort((a, b) => a - b)).toEqual([
      ...[0, 2],
      ...long.map(() => count),
    ]),
  )
  const playlists = new Map((await listed()).map(playlist => [playlist.id, playlist]))
  expect(playlists.get(short.playlist.id)!.assigned_users).toHaveLength(2)
  expect(playlists.get(unassigned.id)).toMatchObject({ assigned_users: [], assigned_date: null })
  const length = Math.floor((limits.assigneesPerAnswer - 2) / long.length)
  for (const { id } of long) expect(playlists.get(id)!.assigned_users).toHaveLength(length)
  expect(playlists.get(long[0]!.id)!.assigned_date).toBe(new Date(longAgo + count - 1).toISOString())
})

test('a list about one person names only them, and only to those who may see them', async () => {
  const { boss, team, playlist } = await createTeamWithPlaylist(world, url, 2)
  const outsider = world.addPerson('user')
  await assignPlaylist(director, playlist.id, outsider)
  const about = async (caller: Caller, id: string) => find(caller, playlist.id, `?assignee=${id}`)
  expect(await about(boss, team[0]!.id)).toMatchObject({ assigned_users: [team[0]!.id], assigned_count: 1 })
  expect(await about(director, outsider.id)).toMatchObject({ assigned_users: [outsider.id], assigned_count: 1 })
  const nobody = { assigned_users: [], assigned_count: 0, assigned_date: null }
  expect(await about(boss, outsider.id)).toMatchObject(nobody)
  expect(await about(director, 'unknown')).toMatchObject(nobody)
  expect(await about(callAs(world, url, team[1]!), team[0]!.id)).toMatchObject({ assigned_users: [team[1]!.id] })
  expect((await director.get('/playlists?assignee=$ne')).status).toBe(422)
})

test('the people of a playlist are found by their ids, among those of the caller', async () => {
  const { boss, team, playlist } = await createTeamWithPlaylist(world, url, 2)
  const outsider = world.addPerson('user')
  await assignPlaylist(director, playlist.id, outsider)
  const findBy = async (caller: Caller, ...ids: string[]) => {
    const answer = await caller.get(`/playlists/${playlist.id}/assign?user_ids=${ids.join(',')}`)
    expect(answer.status).toBe(200)
    return answer.json.map(({ user_id }: { user_id: string }) => user_id).sort()
  }
  expect(await findBy(director, team[0]!.id, outsider.id, 'unknown')).toEqual([team[0]!.id, outsider.id].sort())
  expect(await findBy(boss, team[0]!.id, outsider.id)).toEqual([team[0]!.id])
  expect(await findBy(boss, outsider.id)).toEqual([])
  const stranger = callAs(world, url, world.addPerson('supervisor'))
  const ids = `user_ids=${team[0]!.id}`
  expect((await stranger.get(`/playlists/${playlist.id}/assign?${ids}`)).status).toBe(404)
  const tooMany = Array.from({ length: limits.idListMax + 1 }, (_, index) => `p${index}`).join(',')
  expect((await director.get(`/playlists/${playlist.id}/assign?user_ids=${tooMany}`)).status).toBe(422)
})

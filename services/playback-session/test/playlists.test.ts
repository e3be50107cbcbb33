import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { roles } from '@watchline/contracts/people'
import { apiClient } from '@watchline/testing/api-client'
import { eventually } from '@watchline/testing/harness'
import type { PlaybackSessionService } from '../src/service.ts'
import {
  assignPlaylist,
  callAs,
  collectionOf,
  createPlaybackWorld,
  createPlaylist,
  createTeamWithPlaylist,
  type PlaybackWorld,
  videos,
} from './_util.ts'

let world: PlaybackWorld
let url: string
let service: PlaybackSessionService
beforeAll(async () => {
  world = await createPlaybackWorld()
  ;({ url, service } = await world.start())
})
afterAll(() => world.close())

const unknown = '0123456789abcdef01234567'

describe('createPlaylist', () => {
  test('returns the playlist with its total duration, stores it and publishes its creation', async () => {
    const supervisor = world.addPerson('supervisor')
    const body = {
      title: '  Safety ',
      description: 'Basics',
      videos: [...videos(2, 20.5), youtubeVideo('dQw4w9WgXcQ')],
    }
    const answer = await callAs(world, url, supervisor).post('/playlists', body)
    expect(answer.status).toBe(201)
    expect(answer.json).toMatchObject({
      title: 'Safety',
      description: 'Basics',
      total_duration: 141,
      assigned_users: [],
      assigned_date: null,
      created_by: supervisor.id,
    })
    expect(answer.json.videos[2]).toEqual({
      provider: 'youtube',
      id: 'dQw4w9WgXcQ',
      url: null,
      title: 'On YouTube',
      duration: 100,
    })
    const stored = await collectionOf(world, 'playlists').findOne({ _id: answer.json.id })
    expect(stored).toMatchObject({ total_duration: 141, created_by: supervisor.id, shared_with: [] })
    await eventually(() =>
      expect(world.of('playlist.created')).toContainEqual(
        expect.objectContaining({ playlist_id: answer.json.id, created_by: supervisor.id }),
      ),
    )
  })

  test.each(roles)('answers a %s by role', async role => {
    const answer = await callAs(world, url, world.addPerson(role)).post('/playlists', { title: 'T', videos: videos(1) })
    expect(answer.status).toBe(role === 'user' ? 403 : 201)
  })

  test('refuses a missing and a forged token', async () => {
    expect((await apiClient(url).post('/playlists', { title: 'T', videos: videos(1) })).status).toBe(401)
    expect((await apiClient(url, 'a.b.c').post('/playlists', { title: 'T', videos: videos(1) })).status).toBe(401)
  })

  test.each([
    ['no body', undefined],
    ['an empty body', {}],
    ['an array', []],
    ['a string', '"text"'],
    ['null', 'null'],
    ['no videos', { title: 'T', videos: [] }],
    ['a blank title', { title: '   ', videos: videos(1) }],
    ['an object for a title', { title: { $gt: '' }, videos: videos(1) }],
    ['a title too long', { title: 'x'.repeat(201), videos: videos(1) }],
    ['control characters', { title: 'a\u0000b', videos: videos(1) }],
    ['the same video twice', { title: 'T', videos: [...videos(1), ...videos(1)] }],
    ['too many videos', { title: 'T', videos: videos(501) }],
    ['a file without a URL', { title: 'T', videos: [{ ...videos(1)[0], url: undefined }] }],
    ['a script for a URL', { title: 'T', videos: [{ ...videos(1)[0], url: 'javascript:alert(1)' }] }],
    ['another host by a path', { title: 'T', videos: [{ ...videos(1)[0], url: '//evil.example/x' }] }],
    ['no duration', { title: 'T', videos: [{ ...videos(1)[0], duration: 0 }] }],
    ['a negative duration', { title: 'T', videos: [{ ...videos(1)[0], duration: -5 }] }],
    ['an absurd duration', { title: 'T', videos: [{ ...videos(1)[0], duration: 1e12 }] }],
    ['a string for a duration', { title: 'T', videos: [{ ...videos(1)[0], duration: '20' }] }],
    ['no YouTube id', { title: 'T', videos: [youtubeVideo('short')] }],
    ['an unknown provider', { title: 'T', videos: [{ ...videos(1)[0], provider: 'vimeo' }] }],
  ])('refuses %s and stores nothing', async (_name, body) => {
    const supervisor = world.addPerson('supervisor')
    const answer = await callAs(world, url, supervisor).post('/playlists', body)
    expect(answer.status).toBe(422)
    expect(answer.json).toMatchObject({ code: 'invalid', detail: expect.any(String), request_id: expect.any(String) })
    expect(await countPlaylists(supervisor.id)).toBe(0)
  })

  test('refuses a body that is not JSON', async () => {
    const supervisor = callAs(world, url, world.addPerson('supervisor'))
    expect((await supervisor.post('/playlists', '{"title":')).status).toBe(400)
    expect((await supervisor.post('/playlists', 'title=x', { 'content-type': 'text/plain' })).status).toBe(415)
  })
})

describe('listPlaylists and listTasks', () => {
  test('each role sees its own playlists, newest first', async () => {
    const manager = world.addPerson('manager')
    const supervisor = world.addPerson('supervisor', { manager_id: manager.id })
    const trainee = world.addPerson('user', { supervisor_id: supervisor.id })
    const boss = callAs(world, url, supervisor)
    const own = await createPlaylist(boss, { title: 'own' })
    const shared = await createPlaylist(callAs(world, url, manager), { title: 'shared' })
    const foreign = await createPlaylist(callAs(world, url, world.addPerson('supervisor')), { title: 'foreign' })
    await collectionOf(world, 'playlists').updateOne({ _id: shared.id }, { $set: { shared_with: [supervisor.id] } })
    await assignPlaylist(boss, own.id, trainee)

    const idsOf = async (path: string, person: Parameters<typeof callAs>[2]) =>
      (await callAs(world, url, person).get(path)).json.map((person: { id: string }) => person.id)
    expect(await idsOf('/playlists', supervisor)).toEqual([shared.id, own.id])
    expect(await idsOf('/supervisor/tasks', supervisor)).toEqual([shared.id])
    expect(await idsOf('/playlists', manager)).toEqual([shared.id])
    expect(await idsOf('/playlists', trainee)).toEqual([own.id])
    expect(await idsOf('/playlists', world.addPerson('user'))).toEqual([])
    for (const role of ['director', 'admin'] as const) {
      const listed = await idsOf('/playlists', world.addPerson(role))
      expect(listed.slice(0, 3)).toEqual([foreign.id, shared.id, own.id])
    }
  })

  test('a supervisor without a manager sees their own playlists as tasks', async () => {
    const supervisor = callAs(world, url, world.addPerson('supervisor'))
    const own = await createPlaylist(supervisor)
    const answer = await supervisor.get('/supervisor/tasks')
    expect(answer.json.map((playlist: { id: string }) => playlist.id)).toEqual([own.id])
    expect(answer.headers.get('x-total-count')).toBe('1')
  })

  test.each(roles)('a %s lists tasks by role', async role => {
    const answer = await callAs(world, url, world.addPerson(role)).get('/supervisor/tasks')
    expect(answer.status).toBe(role === 'supervisor' ? 200 : 403)
  })

  test('assigned_users holds only people the caller may see: a team, oneself or everybody', async () => {
    const { boss, team, trainee, playlist } = await createTeamWithPlaylist(world, url, 2)
    const director = callAs(world, url, world.addPerson('director'))
    const stranger = world.addPerson('user')
    await assignPlaylist(director, playlist.id, stranger)
    const assigneesShownTo = async (caller: typeof boss) =>
      (await caller.get('/playlists')).json.find(({ id }: { id: string }) => id === playlist.id).assigned_users
    expect((await assigneesShownTo(boss)).sort()).toEqual(team.map(person => person.id).sort())
    expect((await assigneesShownTo(director)).sort()).toEqual([...team, stranger].map(person => person.id).sort())
    expect(await assigneesShownTo(callAs(world, url, trainee))).toEqual([trainee.id])
  })

  test('a search finds a part of the title in every role’s list, in any case and without patterns', async () => {
    const { boss, trainee } = await createTeamWithPlaylist(world, url)
    const marker = Math.random().toString(36).slice(2)
    const first = await createPlaylist(boss, { title: `Fire safety (${marker})` })
    const second = await createPlaylist(boss, { title: `FÍRE drill ${marker}` })
    await createPlaylist(boss, { title: `First aid ${marker}` })
    for (const { id } of [first, second]) await assignPlaylist(boss, id, trainee)
    const search = async (caller: typeof boss, text: string, path = '/playlists') => {
      const answer = await caller.get(`${path}?search=${encodeURIComponent(text)}`)
      expect(answer.status).toBe(200)
      return answer.json.map(({ id }: { id: string }) => id)
    }
    for (const text of ['fire', 'FİRE', 'fire ']) expect(await search(boss, text)).toEqual([second.id, first.id])
    expect(await search(boss, 'fire', '/supervisor/tasks')).toEqual([second.id, first.id])
    expect((await search(callAs(world, url, trainee), 'fire')).toSorted()).toEqual([first.id, second.id].toSorted())
    const director = callAs(world, url, world.addPerson('director'))
    expect(await search(director, `(${marker.toUpperCase()})`)).toEqual([first.id])
    expect(await search(director, marker)).toHaveLength(3)
    expect(await search(boss, '.*')).toEqual([])
    expect(await search(callAs(world, url, world.addPerson('supervisor')), 'fire')).toEqual([])
    const page = await boss.get('/playlists?search=fire&limit=1')
    expect(page.headers.get('x-total-count')).toBe('2')
    const cursor = encodeURIComponent(page.headers.get('x-next-cursor')!)
    const rest = await boss.get(`/playlists?search=fire&limit=1&cursor=${cursor}`)
    expect([page.json[0].id, rest.json[0].id]).toEqual([second.id, first.id])
  })

  test('a search finds playlists and titles that replicas of an earlier version wrote, and changed titles', async () => {
    const { boss, supervisor } = await createTeamWithPlaylist(world, url)
    const [created, renamed] = [await createPlaylist(boss), await createPlaylist(boss)]
    const idsFound = async (text: string) =>
      (await callAs(world, url, supervisor).get(`/playlists?search=${text}`)).json.map(({ id }: { id: string }) => id)
    const playlists = collectionOf(world, 'playlists')
    const writeTitle = ({ id }: { id: string }, title: string, change = {}) =>
      playlists.updateOne({ _id: id as never }, { $set: { title }, ...change })
    await writeTitle(created, 'Évacuation', { $unset: { title_key: 1 } })
    await service.correctTitleKeysOnce()
    expect(await idsFound('evac')).toEqual([created.id])
    await writeTitle(renamed, 'Évacuation du toit')
    await service.correctTitleKeysOnce()
    expect(await idsFound('evac')).toEqual([renamed.id, created.id])
    await boss.put(`/playlists/${created.id}`, { title: 'Ärzte', description: '' })
    expect([await idsFound('evac'), await idsFound('arzte')]).toEqual([[renamed.id], [created.id]])
  })

  test('the correction of title keys reads all batches, and only the index', async () => {
    const playlists = collectionOf(world, 'playlists')
    const created_at = new Date(1_000)
    const old = Array.from({ length: 1_500 }, (_, index) => ({
      _id: `batch-${index}`,
      ...{ created_at, title: `Séance ${index}`, created_by: 'nobody' },
    }))
    await playlists.insertMany(old as never[])
    await service.correctTitleKeysOnce()
    expect(await playlists.countDocuments({ created_by: 'nobody', title_key: /^seance/, title_order: /^seance/ })).toBe(
      1_500,
    )
    // A replica of the version before, too, reads its own index only.
    for (const [index, fields] of [
      ['titles_and_keys', { title: 1, title_key: 1, title_order: 1 }],
      ['newest_titles_and_keys', { title: 1, title_key: 1, created_at: 1 }],
    ] as const) {
      const plan = await playlists.find({}, { projection: fields }).hint(index).explain()
      expect([index, plan.executionStats.totalDocsExamined]).toEqual([index, 0])
    }
    // A replica of an earlier version searches titles, and finds no index of its own.
    const search = await playlists
      .find({ $and: [{ title: { $regex: 'no such title', $options: 'i' } }, { created_at: { $gte: new Date(0) } }] })
      .sort({ created_at: -1, _id: -1 })
      .explain()
    expect(search.executionStats).toMatchObject({ totalDocsExamined: 0, nReturned: 0 })
    expect(search.executionStats.totalKeysExamined).toBeGreaterThan(1_000)
    await playlists.deleteMany({ created_by: 'nobody' })
  })

  test('pages by cursor without missing or repeating playlists, and counts all', async () => {
    const { boss, trainee } = await createTeamWithPlaylist(world, url)
    for (let index = 1; index < 7; index += 1) await assignPlaylist(boss, (await createPlaylist(boss)).id, trainee)
    for (const [caller, path] of [
      [boss, '/playlists'],
      [boss, '/supervisor/tasks'],
      [callAs(world, url, trainee), '/playlists'],
      [callAs(world, url, trainee), '/playlists/assigned'],
    ] as const) {
      const allIds = (await caller.get(path)).json.map((playlist: { id: string }) => playlist.id)
      expect(allIds).toHaveLength(7)
      const pagedIds: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page = await caller.get(`${path}?limit=3${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
        expect(page.headers.get('x-total-count')).toBe('7')
        pagedIds.push(...page.json.map((playlist: { id: string }) => playlist.id))
        cursor = page.headers.get('x-next-cursor')
      }
      expect(pagedIds).toEqual(allIds)
    }
  })

  test('refuses a search longer than any title', async () => {
    const supervisor = callAs(world, url, world.addPerson('supervisor'))
    const search = 'x'.repeat(limits.titleMaxLength + 1)
    for (const path of ['/playlists', '/supervisor/tasks'])
      expect((await supervisor.get(`${path}?search=${search}`)).status).toBe(422)
  })

  test.each([
    'limit=0',
    'limit=501',
    'limit=x',
    'limit=1.5',
    'cursor=nonsense',
    'cursor=%7B%22%24gt%22%3A1%7D',
    'cursor=',
  ])('refuses ?%s', async query => {
    const supervisor = callAs(world, url, world.addPerson('supervisor'))
    expect((await supervisor.get(`/playlists?${query}`)).status).toBe(422)
    expect((await supervisor.get(`/playlists/assigned?${query}`)).status).toBe(422)
  })
})

describe('assignPlaylist', () => {
  test('assigns people, returns how many were new and publishes only those', async () => {
    const { boss, team, playlist } = await createTeamWithPlaylist(world, url, 1)
    const newcomer = world.addPerson('user', { supervisor_id: team[0]!.supervisor_id })
    const dateOf = async (id: string) => (await findAssignments({ person_id: id }))[0]?.assigned_date
    const before = await dateOf(team[0]!.id)
    const answer = await boss.put(`/playlists/${playlist.id}/assign`, {
      assigned_users: [team[0]!.id, newcomer.id, newcomer.id],
    })
    expect(answer.json).toMatchObject({ success: true, assigned: 1 })
    expect([...answer.json.playlist.assigned_users].sort()).toEqual([team[0]!.id, newcomer.id].sort())
    expect(await dateOf(team[0]!.id)).toEqual(before)
    await eventually(() => {
      const assignedEvents = world.of('playlist.assigned').filter(event => event.playlist_id === playlist.id)
      expect(assignedEvents.map(event => event.assigned)).toEqual([[team[0]!.id], [newcomer.id]])
    })
  })

  test('a repeated assignment succeeds and publishes nothing', async () => {
    const { boss, team, playlist } = await createTeamWithPlaylist(world, url, 2)
    const answer = await boss.put(`/playlists/${playlist.id}/assign`, { assigned_users: team.map(person => person.id) })
    expect(answer.json.assigned).toBe(0)
    const secondPlaylist = await createPlaylist(boss)
    await assignPlaylist(boss, secondPlaylist.id, team[0]!)
    await eventually(() =>
      expect(world.of('playlist.assigned').some(event => event.playlist_id === secondPlaylist.id)).toBe(true),
    )
    expect(world.of('playlist.assigned').filter(event => event.playlist_id === playlist.id)).toHaveLength(1)
  })

  test('a person outside the team answers 403 and assigns nobody', async () => {
    const { boss, team, playlist } = await createTeamWithPlaylist(world, url, 1)
    const member = world.addPerson('user', { supervisor_id: team[0]!.supervisor_id })
    for (const outsider of [
      world.addPerson('user'),
      world.addPerson('user', { supervisor_id: unknown }),
      world.addPerson('director'),
      { id: unknown },
    ]) {
      const answer = await boss.put(`/playlists/${playlist.id}/assign`, { assigned_users: [member.id, outsider.id] })
      expect([answer.status, answer.json.code]).toEqual([403, 'outside_team'])
    }
    expect(await findAssignments({ playlist_id: playlist.id })).toHaveLength(1)
  })

  test('a team change applies before its event arrives', async () => {
    const { supervisor, boss, playlist } = await createTeamWithPlaylist(world, url, 1)
    const newcomer = world.addPerson('user')
    await callAs(world, url, newcomer).get('/playlists/today')
    const body = { assigned_users: [newcomer.id] }
    expect((await boss.put(`/playlists/${playlist.id}/assign`, body)).status).toBe(403)
    world.changePerson(newcomer, { supervisor_id: supervisor.id })
    const answer = await boss.put(`/playlists/${playlist.id}/assign`, body)
    expect(answer.json).toMatchObject({ assigned: 1 })
    expect(answer.json.playlist.assigned_users).toContain(newcomer.id)
  })

  test.each(roles)('a %s assigns another owner’s playlist by role', async role => {
    const { playlist, trainee } = await createTeamWithPlaylist(world, url, 1)
    const caller = callAs(world, url, world.addPerson(role))
    const body = { assigned_users: [trainee.id] }
    const expected = { user: 403, supervisor: 404, manager: 403, director: 200, admin: 200 }[role]
    expect((await caller.put(`/playlists/${playlist.id}/assign`, body)).status).toBe(expected)
    expect((await caller.delete(`/playlists/${playlist.id}/assign`, body)).status).toBe(expected)
  })

  test('a director gets 404 for unknown people and playlists', async () => {
    const director = callAs(world, url, world.addPerson('director'))
    const own = await createPlaylist(director)
    for (const [id, person] of [
      [own.id, unknown],
      [unknown, world.addPerson('user').id],
      ['%24ne', world.addPerson('user').id],
    ])
      expect((await director.put(`/playlists/${id}/assign`, { assigned_users: [person] })).status).toBe(404)
  })

  test.each([
    ['nobody', { assigned_users: [] }],
    ['no list', {}],
    ['a string', { assigned_users: 'x' }],
    ['an object', { assigned_users: { $gt: '' } }],
    ['objects in the list', { assigned_users: [{ $gt: '' }] }],
    ['an invalid id', { assigned_users: ['a b'] }],
    ['too many', { assigned_users: Array.from({ length: 1_001 }, (_, index) => `p${index}`) }],
  ])('refuses %s', async (_name, body) => {
    const supervisor = callAs(world, url, world.addPerson('supervisor'))
    const playlist = await createPlaylist(supervisor)
    expect((await supervisor.put(`/playlists/${playlist.id}/assign`, body)).status).toBe(422)
    expect((await supervisor.delete(`/playlists/${playlist.id}/assign`, body)).status).toBe(422)
  })

  test('ten concurrent calls assign each person once and count each as new once', async () => {
    const supervisor = world.addPerson('supervisor')
    const boss = callAs(world, url, supervisor)
    const team = Array.from({ length: 4 }, () => world.addPerson('user', { supervisor_id: supervisor.id }))
    const playlist = await createPlaylist(boss)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        boss.put(`/playlists/${playlist.id}/assign`, {
          assigned_users: [team[index % 4]!.id, team[(index + 1) % 4]!.id],
        }),
      ),
    )
    expect(answers.map(answer => answer.status)).toEqual(Array(10).fill(200))
    expect(answers.reduce((sum, answer) => sum + answer.json.assigned, 0)).toBe(4)
    expect(await findAssignments({ playlist_id: playlist.id })).toHaveLength(4)
    await eventually(() => {
      const assignedEvents = world.of('playlist.assigned').filter(event => event.playlist_id === playlist.id)
      expect(assignedEvents.flatMap(event => event.assigned).sort()).toEqual(team.map(person => person.id).sort())
    })
  })
})

describe('unassignPlaylist', () => {
  test('removes the assignment, returns how many had it and publishes it once', async () => {
    const { boss, team, trainee, playlist } = await createTeamWithPlaylist(world, url, 2)
    const body = { assigned_users: team.map(person => person.id) }
    const answer = await boss.delete(`/playlists/${playlist.id}/assign`, body)
    expect(answer.json).toMatchObject({ success: true, unassigned: 2, playlist: { assigned_users: [] } })
    expect((await boss.delete(`/playlists/${playlist.id}/assign`, body)).json.unassigned).toBe(0)
    expect((await callAs(world, url, trainee).get('/playlists/today')).json).toBeNull()
    await eventually(() => {
      const unassignedEvents = world.of('playlist.unassigned').filter(event => event.playlist_id === playlist.id)
      expect(unassignedEvents).toEqual([
        expect.objectContaining({ unassigned: expect.arrayContaining(body.assigned_users) }),
      ])
    })
  })

  test('refuses people outside the team', async () => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url, 1)
    const answer = await boss.delete(`/playlists/${playlist.id}/assign`, {
      assigned_users: [trainee.id, world.addPerson('user').id],
    })
    expect(answer.status).toBe(403)
    expect(await findAssignments({ playlist_id: playlist.id })).toHaveLength(1)
  })
})

function youtubeVideo(id: string) {
  return { provider: 'youtube', id, title: 'On YouTube', duration: 100 }
}

function countPlaylists(personId: string) {
  return collectionOf(world, 'playlists').countDocuments({ created_by: personId })
}

function findAssignments(filter: Record<string, unknown>) {
  return collectionOf(world, 'assignments').find(filter).toArray()
}

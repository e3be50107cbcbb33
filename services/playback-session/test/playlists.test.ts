import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { roles } from '@watchline/contracts/people'
import { apiClient, eventually } from '@watchline/testing/harness'
import {
  aPlaylist,
  as,
  assigned,
  aTeamWatching,
  createPlaybackWorld,
  type PlaybackWorld,
  rows,
  videos,
} from './_util.ts'

let world: PlaybackWorld
let url: string
beforeAll(async () => {
  world = await createPlaybackWorld()
  url = (await world.start()).url
})
afterAll(() => world.close())

const unknown = '0123456789abcdef01234567'

describe('createPlaylist', () => {
  test('answers the playlist with the sum of its videos, keeps it and tells of it', async () => {
    const supervisor = world.person('supervisor')
    const body = { title: '  Safety ', description: 'Basics', videos: [...videos(2, 20.5), youtube('dQw4w9WgXcQ')] }
    const answer = await as(world, url, supervisor).post('/playlists', body)
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
    const stored = await rows(world, 'playlists').findOne({ _id: answer.json.id })
    expect(stored).toMatchObject({ total_duration: 141, created_by: supervisor.id, shared_with: [] })
    await eventually(() =>
      expect(world.of('playlist.created')).toContainEqual(
        expect.objectContaining({ playlist_id: answer.json.id, created_by: supervisor.id }),
      ),
    )
  })

  test.each(roles)('a %s', async role => {
    const answer = await as(world, url, world.person(role)).post('/playlists', { title: 'T', videos: videos(1) })
    expect(answer.status).toBe(role === 'user' ? 403 : 201)
  })

  test('nobody without a token, or with a forged one', async () => {
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
    ['a file without an address', { title: 'T', videos: [{ ...videos(1)[0], url: undefined }] }],
    ['a script for an address', { title: 'T', videos: [{ ...videos(1)[0], url: 'javascript:alert(1)' }] }],
    ['another host by a path', { title: 'T', videos: [{ ...videos(1)[0], url: '//evil.example/x' }] }],
    ['no duration', { title: 'T', videos: [{ ...videos(1)[0], duration: 0 }] }],
    ['a negative duration', { title: 'T', videos: [{ ...videos(1)[0], duration: -5 }] }],
    ['an absurd duration', { title: 'T', videos: [{ ...videos(1)[0], duration: 1e12 }] }],
    ['a duration in words', { title: 'T', videos: [{ ...videos(1)[0], duration: '20' }] }],
    ['no YouTube id', { title: 'T', videos: [youtube('short')] }],
    ['an unknown provider', { title: 'T', videos: [{ ...videos(1)[0], provider: 'vimeo' }] }],
  ])('refuses %s and stores nothing', async (_what, body) => {
    const supervisor = world.person('supervisor')
    const answer = await as(world, url, supervisor).post('/playlists', body)
    expect(answer.status).toBe(422)
    expect(answer.json).toMatchObject({ code: 'invalid', detail: expect.any(String), request_id: expect.any(String) })
    expect(await playlistsOf(supervisor.id)).toBe(0)
  })

  test('refuses what is not JSON', async () => {
    const supervisor = as(world, url, world.person('supervisor'))
    expect((await supervisor.post('/playlists', '{"title":')).status).toBe(400)
    expect((await supervisor.post('/playlists', 'title=x', { 'content-type': 'text/plain' })).status).toBe(415)
  })
})

describe('listPlaylists and listTasks', () => {
  test('each role sees its own, newest first', async () => {
    const manager = world.person('manager')
    const supervisor = world.person('supervisor', { manager_id: manager.id })
    const trainee = world.person('user', { supervisor_id: supervisor.id })
    const boss = as(world, url, supervisor)
    const own = await aPlaylist(boss, { title: 'own' })
    const shared = await aPlaylist(as(world, url, manager), { title: 'shared' })
    const foreign = await aPlaylist(as(world, url, world.person('supervisor')), { title: 'foreign' })
    await rows(world, 'playlists').updateOne({ _id: shared.id }, { $set: { shared_with: [supervisor.id] } })
    await assigned(boss, own.id, trainee)

    const idsOf = async (path: string, person: Parameters<typeof as>[2]) =>
      (await as(world, url, person).get(path)).json.map((each: { id: string }) => each.id)
    expect(await idsOf('/playlists', supervisor)).toEqual([shared.id, own.id])
    expect(await idsOf('/supervisor/tasks', supervisor)).toEqual([shared.id])
    expect(await idsOf('/playlists', manager)).toEqual([shared.id])
    expect(await idsOf('/playlists', trainee)).toEqual([own.id])
    expect(await idsOf('/playlists', world.person('user'))).toEqual([])
    for (const role of ['director', 'admin'] as const) {
      const all = await idsOf('/playlists', world.person(role))
      expect(all.slice(0, 3)).toEqual([foreign.id, shared.id, own.id])
    }
  })

  test('a supervisor without a manager sees as tasks what they created', async () => {
    const supervisor = as(world, url, world.person('supervisor'))
    const own = await aPlaylist(supervisor)
    const answer = await supervisor.get('/supervisor/tasks')
    expect(answer.json.map((each: { id: string }) => each.id)).toEqual([own.id])
    expect(answer.headers.get('x-total-count')).toBe('1')
  })

  test.each(roles)('tasks: a %s', async role => {
    const answer = await as(world, url, world.person(role)).get('/supervisor/tasks')
    expect(answer.status).toBe(role === 'supervisor' ? 200 : 403)
  })

  test('assigned_users is the caller’s business only: a team, oneself, or everybody', async () => {
    const { boss, team, trainee, playlist } = await aTeamWatching(world, url, 2)
    const director = as(world, url, world.person('director'))
    const stranger = world.person('user')
    await assigned(director, playlist.id, stranger)
    const shownTo = async (who: typeof boss) =>
      (await who.get('/playlists')).json.find((each: { id: string }) => each.id === playlist.id).assigned_users
    expect((await shownTo(boss)).sort()).toEqual(team.map(each => each.id).sort())
    expect((await shownTo(director)).sort()).toEqual([...team, stranger].map(each => each.id).sort())
    expect(await shownTo(as(world, url, trainee))).toEqual([trainee.id])
  })

  test('pages by cursor without losing or repeating any, and counts all', async () => {
    const { boss, trainee } = await aTeamWatching(world, url)
    for (let made = 1; made < 7; made += 1) await assigned(boss, (await aPlaylist(boss)).id, trainee)
    for (const [who, path] of [
      [boss, '/playlists'],
      [boss, '/supervisor/tasks'],
      [as(world, url, trainee), '/playlists'],
      [as(world, url, trainee), '/playlists/assigned'],
    ] as const) {
      const whole = (await who.get(path)).json.map((each: { id: string }) => each.id)
      expect(whole).toHaveLength(7)
      const seen: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page = await who.get(`${path}?limit=3${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
        expect(page.headers.get('x-total-count')).toBe('7')
        seen.push(...page.json.map((each: { id: string }) => each.id))
        cursor = page.headers.get('x-next-cursor')
      }
      expect(seen).toEqual(whole)
    }
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
    const supervisor = as(world, url, world.person('supervisor'))
    expect((await supervisor.get(`/playlists?${query}`)).status).toBe(422)
    expect((await supervisor.get(`/playlists/assigned?${query}`)).status).toBe(422)
  })
})

describe('assignPlaylist', () => {
  test('adds people, answers how many were new, and tells of those only', async () => {
    const { boss, team, playlist } = await aTeamWatching(world, url, 1)
    const newcomer = world.person('user', { supervisor_id: team[0]!.supervisor_id })
    const dateOf = async (id: string) => (await assignments({ person_id: id }))[0]?.assigned_date
    const before = await dateOf(team[0]!.id)
    const answer = await boss.put(`/playlists/${playlist.id}/assign`, {
      assigned_users: [team[0]!.id, newcomer.id, newcomer.id],
    })
    expect(answer.json).toMatchObject({ success: true, assigned: 1 })
    expect([...answer.json.playlist.assigned_users].sort()).toEqual([team[0]!.id, newcomer.id].sort())
    expect(await dateOf(team[0]!.id)).toEqual(before)
    await eventually(() => {
      const told = world.of('playlist.assigned').filter(each => each.playlist_id === playlist.id)
      expect(told.map(each => each.assigned)).toEqual([[team[0]!.id], [newcomer.id]])
    })
  })

  test('assigning again is harmless and tells of nothing', async () => {
    const { boss, team, playlist } = await aTeamWatching(world, url, 2)
    const again = await boss.put(`/playlists/${playlist.id}/assign`, { assigned_users: team.map(each => each.id) })
    expect(again.json.assigned).toBe(0)
    const after = await aPlaylist(boss)
    await assigned(boss, after.id, team[0]!)
    await eventually(() => expect(world.of('playlist.assigned').some(each => each.playlist_id === after.id)).toBe(true))
    expect(world.of('playlist.assigned').filter(each => each.playlist_id === playlist.id)).toHaveLength(1)
  })

  test('somebody outside the team is 403 and nobody is assigned', async () => {
    const { boss, team, playlist } = await aTeamWatching(world, url, 1)
    const mine = world.person('user', { supervisor_id: team[0]!.supervisor_id })
    for (const outsider of [
      world.person('user'),
      world.person('user', { supervisor_id: unknown }),
      world.person('director'),
      { id: unknown },
    ]) {
      const answer = await boss.put(`/playlists/${playlist.id}/assign`, { assigned_users: [mine.id, outsider.id] })
      expect([answer.status, answer.json.code]).toEqual([403, 'outside_team'])
    }
    expect(await assignments({ playlist_id: playlist.id })).toHaveLength(1)
  })

  test('a change of team that this service has not heard of yet counts at once', async () => {
    const { supervisor, boss, playlist } = await aTeamWatching(world, url, 1)
    const joins = world.person('user')
    await as(world, url, joins).get('/playlists/today')
    const to = { assigned_users: [joins.id] }
    expect((await boss.put(`/playlists/${playlist.id}/assign`, to)).status).toBe(403)
    world.change(joins, { supervisor_id: supervisor.id })
    const answer = await boss.put(`/playlists/${playlist.id}/assign`, to)
    expect(answer.json).toMatchObject({ assigned: 1 })
    expect(answer.json.playlist.assigned_users).toContain(joins.id)
  })

  test.each(roles)('somebody else’s playlist: a %s', async role => {
    const { playlist, trainee } = await aTeamWatching(world, url, 1)
    const somebody = as(world, url, world.person(role))
    const to = { assigned_users: [trainee.id] }
    const expected = { user: 403, supervisor: 404, manager: 403, director: 200, admin: 200 }[role]
    expect((await somebody.put(`/playlists/${playlist.id}/assign`, to)).status).toBe(expected)
    expect((await somebody.delete(`/playlists/${playlist.id}/assign`, to)).status).toBe(expected)
  })

  test('a director meets unknown people and playlists with 404', async () => {
    const director = as(world, url, world.person('director'))
    const own = await aPlaylist(director)
    for (const [id, person] of [
      [own.id, unknown],
      [unknown, world.person('user').id],
      ['%24ne', world.person('user').id],
    ])
      expect((await director.put(`/playlists/${id}/assign`, { assigned_users: [person] })).status).toBe(404)
  })

  test.each([
    ['nobody', { assigned_users: [] }],
    ['no list', {}],
    ['a string', { assigned_users: 'x' }],
    ['an object', { assigned_users: { $gt: '' } }],
    ['objects in the list', { assigned_users: [{ $gt: '' }] }],
    ['what is no id', { assigned_users: ['a b'] }],
    ['too many', { assigned_users: Array.from({ length: 1_001 }, (_, index) => `p${index}`) }],
  ])('refuses %s', async (_what, body) => {
    const supervisor = as(world, url, world.person('supervisor'))
    const playlist = await aPlaylist(supervisor)
    expect((await supervisor.put(`/playlists/${playlist.id}/assign`, body)).status).toBe(422)
    expect((await supervisor.delete(`/playlists/${playlist.id}/assign`, body)).status).toBe(422)
  })

  test('ten at once make one assignment each, and every person is new once', async () => {
    const supervisor = world.person('supervisor')
    const boss = as(world, url, supervisor)
    const team = Array.from({ length: 4 }, () => world.person('user', { supervisor_id: supervisor.id }))
    const playlist = await aPlaylist(boss)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        boss.put(`/playlists/${playlist.id}/assign`, {
          assigned_users: [team[index % 4]!.id, team[(index + 1) % 4]!.id],
        }),
      ),
    )
    expect(answers.map(answer => answer.status)).toEqual(Array(10).fill(200))
    expect(answers.reduce((sum, answer) => sum + answer.json.assigned, 0)).toBe(4)
    expect(await assignments({ playlist_id: playlist.id })).toHaveLength(4)
    await eventually(() => {
      const told = world.of('playlist.assigned').filter(each => each.playlist_id === playlist.id)
      expect(told.flatMap(each => each.assigned).sort()).toEqual(team.map(each => each.id).sort())
    })
  })
})

describe('unassignPlaylist', () => {
  test('takes the assignment, answers how many had it, and tells of it once', async () => {
    const { boss, team, trainee, playlist } = await aTeamWatching(world, url, 2)
    const body = { assigned_users: team.map(each => each.id) }
    const answer = await boss.delete(`/playlists/${playlist.id}/assign`, body)
    expect(answer.json).toMatchObject({ success: true, unassigned: 2, playlist: { assigned_users: [] } })
    expect((await boss.delete(`/playlists/${playlist.id}/assign`, body)).json.unassigned).toBe(0)
    expect((await as(world, url, trainee).get('/playlists/today')).json).toBeNull()
    await eventually(() => {
      const told = world.of('playlist.unassigned').filter(each => each.playlist_id === playlist.id)
      expect(told).toEqual([expect.objectContaining({ unassigned: expect.arrayContaining(body.assigned_users) })])
    })
  })

  test('nobody outside the team', async () => {
    const { boss, trainee, playlist } = await aTeamWatching(world, url, 1)
    const answer = await boss.delete(`/playlists/${playlist.id}/assign`, {
      assigned_users: [trainee.id, world.person('user').id],
    })
    expect(answer.status).toBe(403)
    expect(await assignments({ playlist_id: playlist.id })).toHaveLength(1)
  })
})

function youtube(id: string) {
  return { provider: 'youtube', id, title: 'On YouTube', duration: 100 }
}

function playlistsOf(personId: string) {
  return rows(world, 'playlists').countDocuments({ created_by: personId })
}

function assignments(filter: Record<string, unknown>) {
  return rows(world, 'assignments').find(filter).toArray()
}

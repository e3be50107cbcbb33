import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import {
  aCast,
  as,
  type Caller,
  type Cast,
  createEngagementWorld,
  type EngagementWorld,
  lockOf,
  parts,
  play,
} from './_util.ts'

let world: EngagementWorld
let url: string
let who: Cast
const at = {} as Record<keyof Cast, Caller>
let playlistId: string
let dangerous: string

beforeAll(async () => {
  world = await createEngagementWorld()
  who = aCast(world, { trainee1: 'Trainee One', trainee2: '=HYPERLINK("x")', trainee3: 'Trainee Three' })
  const playlist = world.playlist([20, 20, 60], { created_by: who.otherSupervisor.id })
  playlist.videos[2]!.unavailable = true
  playlistId = playlist.playlist_id
  const other = world.playlist([10], { title: '@SUM(1,2)' })
  dangerous = other.playlist_id
  world.assign(playlist, who.trainee1, who.trainee2, who.trainee3)
  world.assign(other, who.trainee2)
  url = (await world.start()).url
  for (const name of parts) at[name] = as(world, url, who[name])

  await watch('trainee1', 'v0', 20)
  world.clock.advance(24 * 3600_000)
  await watch('trainee1', 'v1', 10)
  world.clock.advance(1_000)
  await watch('trainee3', 'v0', 20)
})
afterAll(() => world.close())

async function watch(name: 'trainee1' | 'trainee3', videoId: string, to: number) {
  const lock = lockOf(world, who[name].id, playlistId)
  await lock.take()
  await play(world, body => at[name].post('/engagement/track', body), playlistId, { to, videoId }, lock.renew)
  await lock.release()
}

const scoped = ['/engagement/team', '/engagement/history', '/engagement/export', '/engagement/dashboard']

describe('rights', () => {
  test.each(scoped)('GET %s is for the staff', async path => {
    expect((await at.trainee1.get(path)).status).toBe(403)
    for (const name of ['supervisor', 'manager', 'director', 'admin'] as const)
      expect([name, (await at[name].get(path)).status]).toEqual([name, 200])
    expect((await fetch(`${url}/api${path}`)).status).toBe(401)
  })

  test('GET /manager/team-analytics is for managers', async () => {
    for (const name of ['trainee1', 'supervisor', 'director', 'admin'] as const)
      expect([name, (await at[name].get('/manager/team-analytics')).status]).toEqual([name, 403])
    expect((await at.manager.get('/manager/team-analytics')).status).toBe(200)
  })

  test('a person is visible to superiors and 404 for others', async () => {
    const path = `/engagement/members/${who.trainee1.id}`
    for (const name of ['supervisor', 'manager', 'director', 'admin'] as const)
      expect([name, (await at[name].get(path)).status]).toEqual([name, 200])
    for (const name of ['otherSupervisor', 'otherManager'] as const)
      expect([name, (await at[name].get(path)).status]).toEqual([name, 404])
    expect((await at.trainee1.get(path)).status).toBe(403)
    expect((await at.director.get(`/engagement/members/${who.supervisor.id}`)).status).toBe(404)
    expect((await at.director.get('/engagement/members/nobody')).status).toBe(404)
  })

  test('a person reads their own watching of playlists they may watch', async () => {
    expect((await at.trainee1.get(`/engagement/watched/${playlistId}`)).status).toBe(200)
    expect((await at.trainee1.get(`/engagement/watched/${dangerous}`)).status).toBe(404)
    expect((await at.trainee1.get('/engagement/watched/nobody')).status).toBe(404)
    expect((await at.supervisor.get(`/engagement/watched/${playlistId}`)).json.watch_time).toBe(0)
    expect((await at.otherManager.get(`/engagement/watched/${playlistId}`)).status).toBe(404)
  })
})

describe('a team', () => {
  test('shows the same numbers as the trainee sees', async () => {
    const { json } = await at.supervisor.get('/engagement/team')
    // Trainee One: 100 and 50 of two playable videos; Trainee Two: three videos, nothing watched.
    expect(json).toMatchObject({ team_count: 2, average_completion: 38 })
    const trainee1 = json.members.find((each: { user_id: string }) => each.user_id === who.trainee1.id)
    expect(trainee1).toMatchObject({
      name: 'Trainee One',
      completion_rate: 75,
      watch_time: 30,
      completed_videos: 1,
      total_videos: 2,
      notes: 0,
    })
    const member = (await at.supervisor.get(`/engagement/members/${who.trainee1.id}`)).json
    expect(member.member).toEqual(trainee1)
    expect(member.playlists).toEqual([(await at.trainee1.get(`/engagement/watched/${playlistId}`)).json])
    expect(member.playlists[0]).toMatchObject({ completion_rate: 75, completed_videos: 1, total_videos: 2 })
    expect(member.playlists[0].videos[1]).toMatchObject({ watched: [[0, 10]], missing: [[10, 20]] })
  })

  test('is the own team for a supervisor, the supervisors’ teams for a manager, and everybody for directors and the administrator', async () => {
    const idsOf = async (name: keyof Cast) =>
      (await at[name].get('/engagement/team')).json.members.map((each: { user_id: string }) => each.user_id)
    const both = [who.trainee2.id, who.trainee1.id]
    expect(await idsOf('supervisor')).toEqual(both)
    expect(await idsOf('manager')).toEqual(both)
    expect(await idsOf('otherManager')).toEqual([])
    expect(await idsOf('director')).toEqual([...both, who.trainee3.id])
    expect(await idsOf('admin')).toEqual([...both, who.trainee3.id])
  })

  test.each(['director', 'manager'] as const)('is paged by name for a %s, and can be searched', async name => {
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page = await at[name].get(`/engagement/team?limit=1${cursor ? `&cursor=${cursor}` : ''}`)
      expect(page.json.members).toHaveLength(1)
      seen.push(page.json.members[0].name)
      cursor = page.headers.get('x-next-cursor')
      expect(page.headers.get('x-total-count')).toBe(name === 'director' ? '3' : '2')
    } while (cursor)
    expect(seen).toEqual(['=HYPERLINK("x")', 'Trainee One', ...(name === 'director' ? ['Trainee Three'] : [])])
    const found = (await at[name].get('/engagement/team?search=tRAINEE%20oNE')).json.members
    expect(found.map((each: { name: string }) => each.name)).toEqual(['Trainee One'])
    expect((await at[name].get('/engagement/team?cursor=nonsense')).status).toBe(422)
  })

  test('is empty without people', async () => {
    const nobody = as(world, url, world.person('supervisor'))
    expect((await nobody.get('/engagement/team')).json).toEqual({ team_count: 0, average_completion: 0, members: [] })
    expect((await nobody.get('/engagement/dashboard')).json).toEqual([])
  })
})

describe('history', () => {
  test.each(['supervisor', 'director'] as const)('shows a %s the completions up to the end of each day', async name => {
    const { json } = await at[name].get('/engagement/history?days=3')
    const everybody = name === 'director'
    // The team has five assigned videos, everybody seven. Trainee Three got theirs on the second
    // day.
    expect(json.map((each: { completed_videos: number }) => each.completed_videos)).toEqual([0, 1, everybody ? 2 : 1])
    expect(json.map((each: { completion_rate: number }) => each.completion_rate)).toEqual([
      0,
      everybody ? 14 : 20,
      everybody ? 29 : 20,
    ])
    expect(json.at(-1).date).toBe(new Date(world.clock.now()).toISOString().slice(0, 10))
  })

  test('refuses zero and too many days', async () => {
    for (const days of ['0', '367', 'x', '1.5'])
      expect((await at.supervisor.get(`/engagement/history?days=${days}`)).status).toBe(422)
  })
})

describe('the dashboard', () => {
  test('has the records of the caller’s scope, latest first', async () => {
    const { json, headers } = await at.supervisor.get('/engagement/dashboard')
    expect(json).toMatchObject([
      { user_id: who.trainee1.id, playlist_id: playlistId, video_id: 'v1', completion_rate: 50, watch_time: 10 },
      { user_id: who.trainee1.id, video_id: 'v0', completion_rate: 100, watch_time: 20 },
    ])
    expect(headers.get('x-total-count')).toBe('2')
    expect(new Set(json.map((each: { id: string }) => each.id)).size).toBe(2)
  })

  test.each(['manager', 'director'] as const)('is paged for a %s without repeats or gaps', async name => {
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page = await at[name].get(`/engagement/dashboard?limit=1${cursor ? `&cursor=${cursor}` : ''}`)
      seen.push(...page.json.map((each: { user_id: string; video_id: string }) => `${each.user_id} ${each.video_id}`))
      cursor = page.headers.get('x-next-cursor')
    } while (cursor)
    const expected = [
      `${who.trainee1.id} v0`,
      `${who.trainee1.id} v1`,
      ...(name === 'director' ? [`${who.trainee3.id} v0`] : []),
    ]
    expect(seen.sort()).toEqual(expected.sort())
  })
})

describe('a manager’s team analytics', () => {
  test('has the people of their teams, their records, and who is active', async () => {
    const now = world.clock.now()
    await world.ports.live.presence.report([{ personId: who.trainee1.id, sid: 's', loginTime: now, at: now }])
    const { json, headers } = await at.manager.get('/manager/team-analytics')
    expect(json).toMatchObject({ total_users: 2, active_users: 1 })
    expect(json.users.map((each: { id: string }) => each.id)).toEqual([who.trainee2.id, who.trainee1.id])
    expect(json.users[1]).toMatchObject({
      name: 'Trainee One',
      role: 'user',
      supervisor_id: who.supervisor.id,
      is_active: true,
    })
    expect(json.engagements.map((each: { video_id: string }) => each.video_id)).toEqual(['v1', 'v0'])
    expect(headers.get('x-total-count')).toBe('2')
  })
})

describe('the export', () => {
  test('is CSV with a byte order mark, ISO times, quoted cells and no formula', async () => {
    const response = await fetch(`${url}/api/engagement/export`, {
      headers: { authorization: `Bearer ${world.token(who.supervisor)}` },
    })
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="engagement-[\d-]+\.csv"$/)
    const bytes = Buffer.from(await response.arrayBuffer())
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    const lines = bytes.subarray(3).toString().split('\r\n')
    expect(lines.pop()).toBe('')
    // A header, three videos each of the common playlist, one more for Trainee Two.
    expect(lines).toHaveLength(1 + 3 + 3 + 1)
    const trainee1 = lines.filter(line => line.startsWith('Trainee One,'))
    expect(trainee1[0]).toMatch(/,20,100,yes,\d{4}-\d\d-\d\dT[\d:.]+Z,20,,,\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    expect(trainee1[1]).toContain(',20,50,no,,10,0:10 to 0:20,')
    expect(trainee1[2]).toContain(',60,,unavailable,')
    expect(lines.filter(line => line.startsWith(`"'=HYPERLINK(""x"")",`))).toHaveLength(4)
    expect(lines.some(line => line.includes(`"'@SUM(1,2)"`))).toBe(true)
    expect(lines.flatMap(line => line.split(',')).filter(cell => /^"?[=+\-@]/.test(cell))).toEqual([])
  })

  test('has everybody for a director', async () => {
    const { text } = await at.director.get('/engagement/export')
    expect(text.split('\r\n').filter(line => line.startsWith('Trainee Three,'))).toHaveLength(3)
  })
})

test('a team shows a new member at once', async () => {
  const joined = { ...who.trainee3, supervisor_id: who.supervisor.id, version: 2 }
  const path = `/engagement/members/${who.trainee3.id}`
  expect((await at.supervisor.get(path)).status).toBe(404)
  await world.publish('user.supervisor_changed', {
    person: joined,
    by: null,
    previous_supervisor_id: who.otherSupervisor.id,
  })
  await eventually(async () => expect((await at.supervisor.get(path)).status).toBe(200))
  await eventually(async () => expect((await at.otherSupervisor.get(path)).status).toBe(404))
})

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import {
  type Caller,
  callAs,
  collectionOf,
  createEngagementWorld,
  createLock,
  createPeople,
  type EngagementWorld,
  iso,
  type PeopleByName,
  peopleNames,
  play,
} from './_util.ts'

let world: EngagementWorld
let url: string
let people: PeopleByName
const callers = {} as Record<keyof PeopleByName, Caller>
let playlistId: string
let formulaPlaylistId: string

beforeAll(async () => {
  world = await createEngagementWorld()
  people = createPeople(world, { trainee1: 'Trainee One', trainee2: '=HYPERLINK("x")', trainee3: 'Trainee Three' })
  const playlist = world.playlist([20, 20, 60], { created_by: people.otherSupervisor.id })
  playlist.videos[2]!.unavailable = true
  playlistId = playlist.playlist_id
  const formulaPlaylist = world.playlist([10], { title: '@SUM(1,2)' })
  formulaPlaylistId = formulaPlaylist.playlist_id
  world.assign(playlist, people.trainee1, people.trainee2, people.trainee3)
  world.assign(formulaPlaylist, people.trainee2)
  url = (await world.start()).url
  for (const name of peopleNames) callers[name] = callAs(world, url, people[name])

  await watch('trainee1', 'v0', 20)
  world.clock.advance(24 * 3600_000)
  await watch('trainee1', 'v1', 10)
  world.clock.advance(1_000)
  await watch('trainee3', 'v0', 20)
})
afterAll(() => world.close())

async function watch(name: 'trainee1' | 'trainee3', videoId: string, to: number) {
  const lock = createLock(world, people[name].id, playlistId)
  await lock.acquire()
  await play(world, body => callers[name].post('/engagement/track', body), playlistId, { to, videoId }, lock.renew)
  await lock.release()
}

const staffPaths = ['/engagement/team', '/engagement/history', '/engagement/export', '/engagement/dashboard']

describe('rights', () => {
  test.each(staffPaths)('GET %s is for staff only', async path => {
    expect((await callers.trainee1.get(path)).status).toBe(403)
    for (const name of ['supervisor', 'manager', 'director', 'admin'] as const)
      expect([name, (await callers[name].get(path)).status]).toEqual([name, 200])
    expect((await fetch(`${url}/api${path}`)).status).toBe(401)
  })

  test('GET /manager/team-analytics is for managers only', async () => {
    for (const name of ['trainee1', 'supervisor', 'director', 'admin'] as const)
      expect([name, (await callers[name].get('/manager/team-analytics')).status]).toEqual([name, 403])
    expect((await callers.manager.get('/manager/team-analytics')).status).toBe(200)
  })

  test('superiors can read a person; others get 404', async () => {
    const path = `/engagement/members/${people.trainee1.id}`
    for (const name of ['supervisor', 'manager', 'director', 'admin'] as const)
      expect([name, (await callers[name].get(path)).status]).toEqual([name, 200])
    for (const name of ['otherSupervisor', 'otherManager'] as const)
      expect([name, (await callers[name].get(path)).status]).toEqual([name, 404])
    expect((await callers.trainee1.get(path)).status).toBe(403)
    expect((await callers.director.get(`/engagement/members/${people.supervisor.id}`)).status).toBe(404)
    expect((await callers.director.get('/engagement/members/nobody')).status).toBe(404)
  })

  test('a person reads their own watching of playlists they may watch', async () => {
    expect((await callers.trainee1.get(`/engagement/watched/${playlistId}`)).status).toBe(200)
    expect((await callers.trainee1.get(`/engagement/watched/${formulaPlaylistId}`)).status).toBe(404)
    expect((await callers.trainee1.get('/engagement/watched/nobody')).status).toBe(404)
    expect((await callers.supervisor.get(`/engagement/watched/${playlistId}`)).json.watch_time).toBe(0)
    expect((await callers.otherManager.get(`/engagement/watched/${playlistId}`)).status).toBe(404)
  })
})

describe('a team', () => {
  test('shows the same numbers as the trainee sees', async () => {
    const { json } = await callers.supervisor.get('/engagement/team')
    // Trainee One: 30 s of 40 s; Trainee Two: three videos, nothing watched.
    expect(json).toMatchObject({
      team_count: 2,
      average_completion: 38,
      assignments: 3,
      finished_count: 0,
      finished_by_hand_count: 0,
      stalled_count: 0,
    })
    const trainee1 = json.members.find((member: { user_id: string }) => member.user_id === people.trainee1.id)
    expect(trainee1).toMatchObject({
      name: 'Trainee One',
      completion_rate: 75,
      watch_time: 30,
      completed_videos: 1,
      total_videos: 2,
      notes: 0,
      progress: 'under_way',
      credited_parts: [[0, 0.75]],
    })
    const member = (await callers.supervisor.get(`/engagement/members/${people.trainee1.id}`)).json
    expect(member.member).toEqual(trainee1)
    // Only the trainee's player needs the credited speed.
    const { max_playback_rate, ...watched } = (await callers.trainee1.get(`/engagement/watched/${playlistId}`)).json
    expect(max_playback_rate).toBeGreaterThanOrEqual(1)
    expect(member.playlists).toEqual([{ ...watched, override: null }])
    expect(member.playlists[0]).toMatchObject({ completion_rate: 75, completed_videos: 1, total_videos: 2 })
    expect(member.playlists[0].videos[1]).toMatchObject({ watched: [[0, 10]], missing: [[10, 20]] })
  })

  test('is a supervisor’s own team, all teams of a manager’s supervisors, and everybody for directors and administrators', async () => {
    const idsOf = async (name: keyof PeopleByName) =>
      (await callers[name].get('/engagement/team')).json.members.map((member: { user_id: string }) => member.user_id)
    const teamIds = [people.trainee2.id, people.trainee1.id]
    expect(await idsOf('supervisor')).toEqual(teamIds)
    expect(await idsOf('manager')).toEqual(teamIds)
    expect(await idsOf('otherManager')).toEqual([])
    expect(await idsOf('director')).toEqual([...teamIds, people.trainee3.id])
    expect(await idsOf('admin')).toEqual([...teamIds, people.trainee3.id])
  })

  test.each(['director', 'manager'] as const)('is paged by name for a %s, and can be searched', async name => {
    const names: string[] = []
    let cursor: string | null = null
    do {
      const page = await callers[name].get(`/engagement/team?limit=1${cursor ? `&cursor=${cursor}` : ''}`)
      expect(page.json.members).toHaveLength(1)
      names.push(page.json.members[0].name)
      cursor = page.headers.get('x-next-cursor')
      expect(page.headers.get('x-total-count')).toBe(name === 'director' ? '3' : '2')
    } while (cursor)
    expect(names).toEqual(['=HYPERLINK("x")', 'Trainee One', ...(name === 'director' ? ['Trainee Three'] : [])])
    const matches = await callers[name].get('/engagement/team?search=tRAINEE%20oNE')
    expect(matches.json.members.map((member: { name: string }) => member.name)).toEqual(['Trainee One'])
    expect(matches.headers.get('x-total-count')).toBe('1')
    expect(matches.json.team_count).toBe(name === 'director' ? 3 : 2)
    expect((await callers[name].get('/engagement/team?cursor=nonsense')).status).toBe(422)
  })

  test.each(['director', 'manager'] as const)(
    'shows a %s the average of everybody in scope on every page',
    async name => {
      // 75, 0 and, for the director, 50 percent.
      const average = name === 'director' ? 42 : 38
      for (const query of ['?limit=1', '?search=three', `?user_ids=${people.trainee1.id}`])
        expect((await callers[name].get(`/engagement/team${query}`)).json.average_completion).toBe(average)
    },
  )

  test.each(['director', 'manager'] as const)('shows a %s the figures of chosen people in scope', async name => {
    const ids = [people.trainee3.id, people.trainee1.id, people.supervisor.id, 'nobody'].join(',')
    const { json, headers } = await callers[name].get(`/engagement/team?user_ids=${ids}&limit=1`)
    const expected = ['Trainee One', ...(name === 'director' ? ['Trainee Three'] : [])]
    expect(json.members.map((member: { name: string }) => member.name)).toEqual(expected)
    expect(headers.get('x-total-count')).toBe(String(expected.length))
    for (const invalid of ['', 'a b', Array(101).fill('x').join(',')])
      expect((await callers[name].get(`/engagement/team?user_ids=${invalid}`)).status).toBe(422)
  })

  test.each(['director', 'admin'] as const)('is narrowed by a %s to a manager or a supervisor', async name => {
    const narrowings = [
      [`supervisor_id=${people.otherSupervisor.id}`, 1, 50, ['Trainee Three']],
      [`manager_id=${people.manager.id}`, 2, 38, ['=HYPERLINK("x")', 'Trainee One']],
      [`manager_id=${people.manager.id}&supervisor_id=${people.otherSupervisor.id}`, 1, 50, ['Trainee Three']],
      ['supervisor_id=nobody', 0, 0, []],
    ] as const
    for (const [query, team_count, average_completion, expectedNames] of narrowings) {
      const { json, headers } = await callers[name].get(`/engagement/team?${query}`)
      expect(json).toMatchObject({ team_count, average_completion })
      expect(json.members.map((member: { name: string }) => member.name)).toEqual(expectedNames)
      expect(headers.get('x-total-count')).toBe(String(team_count))
      expect((await callers[name].get(`/engagement/team?${query}&limit=1`)).json).toMatchObject({ average_completion })
      const history = await callers[name].get(`/engagement/history?days=1&${query}`)
      expect(history.json.at(-1).completion_rate).toBe(average_completion)
    }
    const ids = [people.trainee3.id, people.trainee1.id].join(',')
    const chosen = await callers[name].get(`/engagement/team?user_ids=${ids}&manager_id=${people.manager.id}`)
    expect(chosen.json.members.map((member: { name: string }) => member.name)).toEqual(['Trainee One'])
    const { text } = await callers[name].get(`/engagement/export?supervisor_id=${people.otherSupervisor.id}`)
    expect(text).toContain('Trainee Three')
    expect(text).not.toContain('Trainee One')
    const records = await callers[name].get(`/engagement/dashboard?supervisor_id=${people.otherSupervisor.id}`)
    expect(records.json).toMatchObject([{ user_id: people.trainee3.id, video_id: 'v0' }])
  })

  test.each(['supervisor', 'manager'] as const)('cannot be narrowed by a %s', async name => {
    for (const path of staffPaths)
      for (const filter of [`supervisor_id=${people.supervisor.id}`, `manager_id=${people.manager.id}`])
        expect([path, (await callers[name].get(`${path}?${filter}`)).status]).toEqual([path, 403])
  })

  test('is compared with others: a manager’s teams for the manager, all for directors and administrators', async () => {
    const figures = { name: people.supervisor.name, team_count: 2, average_completion: 38, watch_time: 30 }
    const other = { supervisor_id: people.otherSupervisor.id, team_count: 1, average_completion: 50, total_videos: 2 }
    const manager = await callers.manager.get('/engagement/teams')
    expect(manager.json).toMatchObject([
      { ...figures, supervisor_id: people.supervisor.id, manager_id: people.manager.id, completed_videos: 1 },
    ])
    expect((await callers.otherManager.get('/engagement/teams')).json).toEqual([])
    for (const name of ['director', 'admin'] as const) {
      const { json } = await callers[name].get('/engagement/teams')
      expect(json).toEqual(expect.arrayContaining([manager.json[0], expect.objectContaining(other)]))
      const first = await callers[name].get('/engagement/teams?limit=1')
      const second = await callers[name].get(`/engagement/teams?limit=1&cursor=${first.headers.get('x-next-cursor')}`)
      expect([...first.json, ...second.json]).toEqual(json.slice(0, 2))
      expect(first.headers.get('x-total-count')).toBe(String(json.length))
    }
    for (const name of ['trainee1', 'supervisor'] as const)
      expect((await callers[name].get('/engagement/teams')).status).toBe(403)
  })

  test('is empty without people', async () => {
    const newSupervisor = callAs(world, url, world.addPerson('supervisor'))
    expect((await newSupervisor.get('/engagement/team')).json).toEqual({
      team_count: 0,
      average_completion: 0,
      assignments: 0,
      finished_count: 0,
      finished_by_hand_count: 0,
      stalled_count: 0,
      overdue_count: 0,
      tasks_at_risk: { overdue: 0, behind: 0, not_started: 0 },
      members: [],
    })
    expect((await newSupervisor.get('/engagement/dashboard')).json).toEqual([])
  })
})

describe('history', () => {
  test.each(['supervisor', 'director'] as const)('shows a %s the completions up to the end of each day', async name => {
    const { json } = await callers[name].get('/engagement/history?days=30')
    const seesEverybody = name === 'director'
    expect(json.map((day: { completed_videos: number }) => day.completed_videos)).toEqual([1, seesEverybody ? 2 : 1])
    // Trainee One had 50 percent after the first day, 75 after the second; Trainee Three 50.
    expect(json.map((day: { completion_rate: number }) => day.completion_rate)).toEqual([
      seesEverybody ? 17 : 25,
      seesEverybody ? 42 : 38,
    ])
    expect(json.at(-1).completion_rate).toBe((await callers[name].get('/engagement/team')).json.average_completion)
    expect(json.map((day: { credited: boolean }) => day.credited)).toEqual([true, true])
    expect(json.at(-1).date).toBe(new Date(world.clock.now()).toISOString().slice(0, 10))
  })

  test('begins when the team does: on the day its first member joined, however old the account is', async () => {
    const day = 24 * 3600_000
    const supervisor = world.addPerson('supervisor')
    const member = world.addPerson('user')
    const joinTeam = async (version: number, joinedAt: number) => {
      const changes = { supervisor_id: supervisor.id, supervisor_since: iso(joinedAt), version }
      const person = world.changePerson(member, changes)
      await world.publish('user.supervisor_changed', { person, by: null, previous_supervisor_id: null })
    }
    const readDates = async (): Promise<string[]> => {
      const { json } = await callAs(world, url, supervisor).get('/engagement/history?days=30')
      return json.map(({ date }: { date: string }) => date)
    }
    await world.publish('user.created', { person: supervisor, by: null })
    await joinTeam(2, world.clock.now() - 2 * day)
    await eventually(async () => expect(await readDates()).toHaveLength(3))
    expect((await readDates())[0]).toBe(iso(world.clock.now() - 2 * day).slice(0, 10))
    // An older event that arrives later changes nothing.
    await joinTeam(1, world.clock.now() - 9 * day)
    // The person left and joined again.
    await joinTeam(3, world.clock.now())
    await eventually(async () => expect(await readDates()).toHaveLength(1))
  })

  test('refuses zero and too many days', async () => {
    for (const days of ['0', '367', 'x', '1.5'])
      expect((await callers.supervisor.get(`/engagement/history?days=${days}`)).status).toBe(422)
  })
})

describe('the dashboard', () => {
  test('has the records of the caller’s scope, latest first', async () => {
    const { json, headers } = await callers.supervisor.get('/engagement/dashboard')
    expect(json).toMatchObject([
      {
        user_id: people.trainee1.id,
        user_name: 'Trainee One',
        playlist_id: playlistId,
        video_id: 'v1',
        video_title: expect.any(String),
        completion_rate: 50,
        watch_time: 10,
      },
      { user_id: people.trainee1.id, video_id: 'v0', completion_rate: 100, watch_time: 20 },
    ])
    expect(headers.get('x-total-count')).toBe('2')
    expect(new Set(json.map((record: { id: string }) => record.id)).size).toBe(2)
  })

  test.each(['manager', 'director'] as const)('is paged for a %s without repeats or gaps', async name => {
    const records: string[] = []
    let cursor: string | null = null
    do {
      const page = await callers[name].get(`/engagement/dashboard?limit=1${cursor ? `&cursor=${cursor}` : ''}`)
      records.push(
        ...page.json.map((record: { user_id: string; video_id: string }) => `${record.user_id} ${record.video_id}`),
      )
      cursor = page.headers.get('x-next-cursor')
    } while (cursor)
    const expected = [
      `${people.trainee1.id} v0`,
      `${people.trainee1.id} v1`,
      ...(name === 'director' ? [`${people.trainee3.id} v0`] : []),
    ]
    expect(records.sort()).toEqual(expected.sort())
  })
})

describe('a manager’s team analytics', () => {
  test('has the people of their teams, their records and the number of active people', async () => {
    const now = world.clock.now()
    await world.ports.live.presence.report([{ personId: people.trainee1.id, sid: 's', loginTime: now, at: now }])
    const { json, headers } = await callers.manager.get('/manager/team-analytics')
    expect(json).toMatchObject({ total_users: 2, active_users: 1, average_completion: 38 })
    expect(json.users.map((user: { id: string }) => user.id)).toEqual([people.trainee2.id, people.trainee1.id])
    expect(json.users[1]).toMatchObject({
      name: 'Trainee One',
      role: 'user',
      supervisor_id: people.supervisor.id,
      is_active: true,
    })
    expect(json.engagements.map((record: { video_id: string }) => record.video_id)).toEqual(['v1', 'v0'])
    const figures = await callers.manager.get('/manager/team-analytics?engagements=none')
    expect(figures.json).toEqual({ ...json, engagements: [] })
    expect((await callers.manager.get('/manager/team-analytics?engagements=some')).status).toBe(422)
    expect(headers.get('x-total-count')).toBe('2')
  })
})

describe('a person’s own record', () => {
  test('is what their superiors see, and the number of their comments', async () => {
    const { json: member } = await callers.supervisor.get(`/engagement/members/${people.trainee1.id}`)
    const comment = { playlist_id: playlistId, video_id: 'v0', timestamp: 1, comment: 'Clear.' }
    const { json: added } = await callers.trainee1.post('/comments', comment)
    await callers.trainee1
      .post('/comments', { ...comment, comment: 'To be deleted.' })
      .then(({ json }) => callers.trainee1.delete(`/comments/${json.comment.id}`))
    expect(added.success).toBe(true)
    const { json } = await callers.trainee1.get('/engagement/record')
    expect(json).toEqual({ playlists: member.playlists, comments: 1 })
  })

  test('is there for everybody, also without any watching', async () => {
    for (const name of ['trainee2', 'supervisor', 'manager', 'director', 'admin'] as const) {
      const { status, json } = await callers[name].get('/engagement/record')
      expect([name, status, json.comments]).toEqual([name, 200, 0])
      expect([name, (await callers[name].get('/engagement/record/export')).status]).toEqual([name, 200])
    }
  })

  test('is exported as the team’s export shows it, with nobody else in it', async () => {
    const linesOf = (text: string) => text.split('\r\n').filter(line => line !== '')
    const team = linesOf((await callers.supervisor.get('/engagement/export')).text)
    const own = await callers.trainee1.get('/engagement/record/export')
    expect(own.headers.get('content-disposition')).toMatch(/^attachment; filename="my-record-[\d-]+\.csv"$/)
    expect(linesOf(own.text)).toEqual([team[0], ...team.filter(line => line.startsWith('Trainee One,'))])
  })
})

describe('the export', () => {
  test('is CSV with a byte order mark, ISO times, quoted cells and no formula', async () => {
    const response = await fetch(`${url}/api/engagement/export`, {
      headers: { authorization: `Bearer ${world.token(people.supervisor)}` },
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
    expect(trainee1[0]).toMatch(/,20,100,yes,\d{4}-\d\d-\d\dT[\d:.]+Z,20,,,\d{4}-\d\d-\d\dT[\d:.]+Z,75,75,,,,,20,$/)
    expect(trainee1[1]).toContain(',20,50,no,,10,0:10 to 0:20,')
    expect(trainee1[2]).toContain(',60,,unavailable,')
    expect(lines.filter(line => line.startsWith(`"'=HYPERLINK(""x"")",`))).toHaveLength(4)
    expect(lines.some(line => line.includes(`"'@SUM(1,2)"`))).toBe(true)
    expect(lines.flatMap(line => line.split(',')).filter(cell => /^"?[=+\-@]/.test(cell))).toEqual([])
  })

  test('has everybody for a director', async () => {
    const { text } = await callers.director.get('/engagement/export')
    expect(text.split('\r\n').filter(line => line.startsWith('Trainee Three,'))).toHaveLength(3)
  })
})

test('a team shows a new member at once', async () => {
  const movedTrainee = { ...people.trainee3, supervisor_id: people.supervisor.id, version: 2 }
  const path = `/engagement/members/${people.trainee3.id}`
  expect((await callers.supervisor.get(path)).status).toBe(404)
  await world.publish('user.supervisor_changed', {
    person: movedTrainee,
    by: null,
    previous_supervisor_id: people.otherSupervisor.id,
  })
  await eventually(async () => expect((await callers.supervisor.get(path)).status).toBe(200))
  await eventually(async () => expect((await callers.otherSupervisor.get(path)).status).toBe(404))
})

test('a director’s people are without the deactivated ones', async () => {
  const trainee = world.addPerson('user', { name: 'Trainee Leaver' })
  await world.publish('user.created', { person: trainee, by: null })
  const findMembers = async (search: string) => {
    const { json, headers } = await callers.director.get(`/engagement/team?search=${encodeURIComponent(search)}`)
    return { names: json.members.map(({ name }: { name: string }) => name), total: headers.get('x-total-count') }
  }
  await eventually(async () => expect((await findMembers('Leaver')).names).toEqual(['Trainee Leaver']))
  const { total } = await findMembers('')
  await world.publish('user.deactivated', {
    person: { ...trainee, deactivated_at: iso(world.clock.now()), version: trainee.version + 1 },
    by: null,
    previous_supervisor_id: null,
    previous_manager_id: null,
  })
  await eventually(async () => expect((await findMembers('Leaver')).names).toEqual([]))
  expect(Number((await findMembers('')).total)).toBe(Number(total) - 1)
})

test('the history counts watching of earlier versions from its completion, or from its last report', async () => {
  const supervisor = world.addPerson('supervisor')
  const trainee = world.addPerson('user', { supervisor_id: supervisor.id })
  const playlist = world.playlist([20, 20])
  await world.publish('playlist.created', playlist)
  await world.publish('playlist.assigned', {
    playlist_id: playlist.playlist_id,
    title: playlist.title,
    by: supervisor.id,
    assigned: [trainee.id],
    assigned_date: iso(world.clock.now()),
  })
  for (const person of [supervisor, trainee]) await world.publish('user.created', { person, by: null })
  const dayMs = 24 * 3600_000
  const watched = { watchTime: 20, duration: 20, notes: {}, lastReportAt: world.clock.now() - dayMs }
  const id = playlist.playlist_id
  await collectionOf(world, 'watchers').insertOne({
    _id: trainee.id,
    version: 1,
    videos: {
      [`${id}:v0`]: { ...watched, intervals: [[0, 20]], completedAt: world.clock.now() - 2 * dayMs },
      [`${id}:v1`]: { ...watched, intervals: [[0, 10]], completedAt: null },
    },
  })
  await eventually(async () => {
    const { json } = await callAs(world, url, supervisor).get('/engagement/history?days=4')
    expect(json.map((day: { completion_rate: number }) => day.completion_rate)).toEqual([50, 75, 75])
  })
})

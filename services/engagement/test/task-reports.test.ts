import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import type { Report, ReportRow } from '@watchline/contracts/reports'
import { eventually } from '@watchline/testing/harness'
import { createGroupMembers } from '../src/clients/group-members.ts'
import { sumHundredths } from '../src/rules/summary.ts'
import {
  callAs,
  collectionOf,
  createEngagementWorld,
  createPeople,
  type EngagementWorld,
  iso,
  type PeopleByName,
} from './_util.ts'

/*
 * Trainees One and Two have one supervisor, and Trainee Three another one. Everybody has "Safety";
 * Trainees One and Three also have "=Tools".
 */

const dayMs = 24 * 3600_000
let world: EngagementWorld
let people: PeopleByName
let url: string
let now: number
let safety: string
let tools: string

beforeAll(async () => {
  world = await createEngagementWorld()
  people = createPeople(world, { trainee1: 'Trainee One', trainee2: 'Trainee Two', trainee3: 'Trainee Three' })
  // It is 6 January in UTC, and still 5 January for the organisation.
  world.clock.advance(Date.UTC(2026, 0, 6, 5) - world.clock.now())
  url = (await world.start({ config: { timeZone: 'America/Los_Angeles' } })).url
  now = world.clock.now()
  safety = await createTask([people.trainee1, people.trainee2, people.trainee3], 'Safety', now + dayMs)
  tools = await createTask([people.trainee1, people.trainee3], '=Tools', null)
  await storeWatching(people.trainee1, `${safety}:v0`, 10, now)
  // In the last minute of 2025 for the organisation, and in 2026.
  const creditHistory = [
    [Date.UTC(2026, 0, 1, 7, 59), 2],
    [now, 3.33],
  ]
  await storeWatching(people.trainee2, `${safety}:v0`, 3.33, null, { creditHistory })
  await storeWatching(people.trainee3, `${safety}:v0`, 3.34, null)
  await world.publish('assignment.overridden', {
    ...{ playlist_id: tools, title: '=Tools', action: 'exempt', by: people.otherSupervisor.id },
    ...{ changed: [people.trainee3.id], reason: 'Not needed', changed_at: iso(now + 1) },
  })
  await eventually(async () =>
    expect(await collectionOf(world, 'task_facts').countDocuments({ kind: 'exempt' })).toBe(1),
  )
})
afterAll(() => world.close())

async function createTask(assigned: { id: string }[], title: string, dueAt: number | null): Promise<string> {
  const playlist = world.playlist([10], { title })
  const due = dueAt === null ? null : { at: iso(dueAt), local: iso(dueAt).slice(0, 16), time_zone: 'UTC' }
  await world.publish('playlist.created', playlist)
  await world.publish('playlist.assigned', {
    ...{ playlist_id: playlist.playlist_id, title, by: 'somebody', assigned: assigned.map(({ id }) => id) },
    ...{ assigned_date: iso(now), due },
  })
  await eventually(async () =>
    expect(await collectionOf(world, 'task_facts').countDocuments({ playlist_id: playlist.playlist_id })).toBe(
      assigned.length,
    ),
  )
  return playlist.playlist_id
}

async function storeWatching(
  { id }: { id: string },
  key: string,
  end: number,
  completedAt: number | null,
  fields: Record<string, unknown> = {},
) {
  const video = { intervals: [[0, end]], watchTime: end, duration: 10, notes: {}, completedAt, lastReportAt: now }
  const videos = { [key]: { ...video, ...fields } }
  await collectionOf(world, 'watchers').insertOne({
    ...{ _id: id, version: 1, balance: 0, forgottenTo: 0, holds: [], waiting: [], anchors: [], seen: [], videos },
  })
}

const get = (name: keyof PeopleByName, query = '') => callAs(world, url, people[name]).get(`/engagement/report${query}`)

async function readReport(name: keyof PeopleByName, query = ''): Promise<Report> {
  const answer = await get(name, query)
  expect(answer.status).toBe(200)
  return answer.json
}
const namesOf = ({ rows }: Report) => rows.map(({ name }) => name)

test('a report counts each task once, and its rows add up to the total', async () => {
  const report = await readReport('director')
  expect(report).toMatchObject({
    by: 'playlist',
    ...{ period: { from: null, until: null }, time_zone: 'America/Los_Angeles', made_at: iso(now) },
  })
  expect(report.total).toEqual({
    ...{ people: 3, tasks: 5, completed_in_time: 1, completed_late: 0, completed_without_due: 0 },
    ...{ open: 3, overdue: 0, missed: 0, marked_done: 0, exempt: 1, credited_seconds: 16.67, completed_rate: 25 },
    credited_in_period: 16.67,
  })
  expect(report.rows).toMatchObject([
    { id: tools, name: '=Tools', people: 2, tasks: 2, open: 1, exempt: 1, credited_seconds: 0, completed_rate: 0 },
    { id: safety, name: 'Safety', people: 3, tasks: 3, completed_in_time: 1, open: 2, credited_seconds: 16.67 },
  ])
})

test('the groupings have the same total', async () => {
  const total = (await readReport('director')).total
  const [teams, persons, whole] = await Promise.all(
    ['team', 'person', 'organisation'].map(by => readReport('director', `?by=${by}`)),
  )
  expect([teams!.total, persons!.total, whole!.total]).toEqual([total, total, total])
  expect(teams!.rows.map(({ id, email, tasks }) => [id, email, tasks]).sort()).toEqual(
    [
      [people.supervisor.id, people.supervisor.email, 3],
      [people.otherSupervisor.id, people.otherSupervisor.email, 2],
    ].sort(),
  )
  expect(namesOf(persons!)).toEqual(['Trainee One', 'Trainee Three', 'Trainee Two'])
  expect(whole!.rows).toEqual([{ id: null, name: null, email: null, ...total }])
})

test('rows come in pages, and every page has the total of all', async () => {
  const first = await get('director', '?by=person&limit=2')
  expect(first.headers.get('x-total-count')).toBe('3')
  const cursor = encodeURIComponent(first.headers.get('x-next-cursor')!)
  const second = await get('director', `?by=person&limit=2&cursor=${cursor}`)
  expect([...namesOf(first.json), ...namesOf(second.json)]).toEqual(['Trainee One', 'Trainee Three', 'Trainee Two'])
  expect(second.headers.get('x-next-cursor')).toBeNull()
  expect(second.json.total).toEqual(first.json.total)
})

describe('a report shows', () => {
  test.each<[keyof PeopleByName, number]>([
    ['supervisor', 2],
    ['otherSupervisor', 1],
    ['manager', 2],
    ['otherManager', 0],
    ['director', 3],
    ['admin', 3],
  ])('a %s the %d people in their scope', async (name, count) => {
    expect((await readReport(name, '?by=person')).total.people).toBe(count)
  })

  test('a director one team, or the teams of one manager', async () => {
    const team = await readReport('director', `?by=person&supervisor_id=${people.otherSupervisor.id}`)
    expect(namesOf(team)).toEqual(['Trainee Three'])
    const teams = await readReport('director', `?by=person&manager_id=${people.manager.id}`)
    expect(namesOf(teams)).toEqual(['Trainee One', 'Trainee Two'])
  })

  test('only the tasks of the filters', async () => {
    expect(namesOf(await readReport('director', `?playlist_ids=${safety}`))).toEqual(['Safety'])
    expect((await readReport('director', '?status=exempt')).total).toMatchObject({ tasks: 1, exempt: 1, people: 1 })
    const both = await readReport('director', `?status=exempt&playlist_ids=${safety}`)
    expect(both).toMatchObject({ rows: [], total: { tasks: 0, completed_rate: null } })
  })

  test('only tasks that were open or closed in the period, in the time zone of the organisation', async () => {
    const tasksIn = async (query: string) => (await readReport('supervisor', query)).total.tasks
    expect(await tasksIn('?until=2026-01-04')).toBe(0)
    expect(await tasksIn('?until=2026-01-05')).toBe(3)
    // One of the three tasks was completed at once.
    expect(await tasksIn('?from=2026-01-05')).toBe(3)
    expect(await tasksIn('?from=2026-01-06')).toBe(2)
  })
})

describe('a report of a group', () => {
  beforeAll(() => {
    world.owners.groups.set('warehouse', {
      members: [people.trainee1.id, people.trainee3.id, people.otherSupervisor.id].sort(),
      viewers: [people.supervisor.id, people.manager.id, people.director.id],
    })
  })
  const report = '?by=person&group_id=warehouse'

  test('has its members among the people whom the caller sees', async () => {
    const whole = await readReport('director', report)
    expect(namesOf(whole)).toEqual(['Trainee One', 'Trainee Three'])
    expect(whole.total).toMatchObject({ people: 2, tasks: 4 })
    // The third trainee is in a team of another manager.
    for (const name of ['supervisor', 'manager'] as const) {
      const own = await readReport(name, report)
      expect(namesOf(own)).toEqual(['Trainee One'])
      expect(own.total).toMatchObject({ people: 1 })
    }
    const team = await readReport('director', `${report}&supervisor_id=${people.supervisor.id}`)
    expect(namesOf(team)).toEqual(['Trainee One'])
    expect((await get('supervisor', report.replace('?', '/csv?'))).text).toContain('Trainee One')
  })

  test('is missing for who may not see the group, and if there is none', async () => {
    for (const name of ['otherSupervisor', 'otherManager'] as const) {
      expect((await get(name, report)).status).toBe(404)
      expect((await get(name, report.replace('?', '/csv?'))).status).toBe(404)
    }
    for (const name of ['director', 'supervisor'] as const)
      expect((await get(name, '?group_id=nothing')).status).toBe(404)
  })

  test('needs auth, and says so', async () => {
    world.owners.unavailable = true
    try {
      const answer = await get('supervisor', report)
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
    } finally {
      world.owners.unavailable = false
    }
  })
})

describe('a report by group', () => {
  beforeAll(() => {
    const { trainee1, trainee2, trainee3, supervisor, otherSupervisor, manager, director } = people
    const members = [trainee1.id, trainee3.id, otherSupervisor.id].sort()
    world.owners.groups.set('warehouse', { members, viewers: [supervisor.id, manager.id, director.id] })
    world.owners.groups.set('drivers', {
      ...{ name: '=Drivers', members: [trainee1.id, trainee2.id].sort(), viewers: [manager.id, director.id] },
    })
    world.owners.groups.set('empty', { members: [], viewers: [manager.id, director.id] })
  })

  test('counts a member of two groups in both rows, and everybody once in the total', async () => {
    const { rows, total } = await readReport('director', '?by=group')
    expect(rows.map(({ id, name, people: count, tasks }) => [id, name, count, tasks])).toEqual([
      ['drivers', '=Drivers', 2, 3],
      ['warehouse', 'warehouse', 2, 4],
    ])
    expect(total).toEqual((await readReport('director')).total)
    expect([total.people, total.tasks]).toEqual([3, 5])
  })

  test('has the figures of the report of each group, for everybody who may see the group', async () => {
    for (const name of ['director', 'admin', 'manager', 'supervisor'] as const) {
      const { rows } = await readReport(name, '?by=group&from=2026-01-01')
      for (const { id, name: groupName, email, ...figures } of rows.filter(row => row.id !== null && name !== 'admin'))
        expect((await readReport(name, `?group_id=${id}&from=2026-01-01`)).total).toEqual(figures)
      expect(rows.length).toBeGreaterThan(0)
    }
  })

  test('has rows of the groups that the caller may see, and one for people without such a group', async () => {
    expect((await readReport('supervisor', '?by=group')).rows).toMatchObject([
      { id: null, name: null, email: null, people: 1, tasks: 1 },
      { id: 'warehouse', people: 1, tasks: 2 },
    ])
    expect((await readReport('otherSupervisor', '?by=group')).rows).toMatchObject([{ id: null, people: 1, tasks: 2 }])
    expect((await readReport('manager', '?by=group')).rows.map(({ id }) => id)).toEqual(['drivers', 'warehouse'])
    expect((await readReport('otherManager', '?by=group')).rows).toEqual([])
    const narrowed = await readReport('director', `?by=group&group_id=drivers&playlist_ids=${tools}`)
    expect(narrowed.rows).toMatchObject([
      { id: 'drivers', tasks: 1 },
      { id: 'warehouse', tasks: 1 },
    ])
    expect(narrowed.total.tasks).toBe(1)
  })

  test('has the same rows in pages and in its file, and lists no views', async () => {
    const first = await get('supervisor', '?by=group&limit=1')
    const cursor = encodeURIComponent(first.headers.get('x-next-cursor')!)
    expect((await readReport('supervisor', `?by=group&limit=1&cursor=${cursor}`)).rows.map(({ id }) => id)).toEqual([
      'warehouse',
    ])
    const file = await get('director', '/csv?by=group')
    expect(file.headers.get('content-disposition')).toContain('report-by-group-')
    expect(file.text.split('\r\n').map(line => line.split(',').slice(0, 6).join())).toEqual([
      expect.stringContaining('row,id,name,email,people,tasks'),
      `group,drivers,"'=Drivers",,2,3`,
      'group,warehouse,warehouse,,2,4',
      'total,,,,3,5',
      '',
    ])
  })

  test('asks auth for a bounded number of people at once', async () => {
    const personIds = Array.from({ length: 250 }, (_, index) => `person${index}`)
    const before = world.owners.requestedPaths.length
    const groups = createGroupMembers({
      ...{ credentials: world.credentialsOf('engagement'), tracer: undefined },
      config: { authUrl: world.owners.url },
    } as never)
    const found = await groups.listGroupsOf([...personIds, people.trainee1.id], people.manager.id)
    expect(world.owners.requestedPaths.slice(before)).toEqual(Array(3).fill('/internal/groups-of-people'))
    expect(found.get('person0')).toEqual([])
    expect(
      found
        .get(people.trainee1.id)!
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['drivers', 'warehouse'])
  })

  test('needs auth, and says so', async () => {
    world.owners.unavailable = true
    try {
      for (const path of ['?by=group', '/csv?by=group'])
        expect((await get('supervisor', path)).json).toMatchObject({ code: 'unavailable' })
    } finally {
      world.owners.unavailable = false
    }
  })
})

test('a report is refused to trainees, outside the scope, and with a wrong query', async () => {
  expect((await get('trainee1')).status).toBe(403)
  expect((await get('manager', `?supervisor_id=${people.otherSupervisor.id}`)).status).toBe(403)
  expect((await get('supervisor', `/csv?manager_id=${people.manager.id}`)).status).toBe(403)
  for (const query of [
    '?by=claim',
    '?from=2026-02-30',
    '?from=2026-02-02&until=2026-02-01',
    '?status=late',
    '?cursor=x',
    `?limit=${limits.reportRowsMax + 1}`,
  ])
    expect([query, (await get('director', query)).status]).toEqual([query, 422])
})

test('one answer may have all rows of a print', async () => {
  const { headers, json } = await get('director', `?by=person&limit=${limits.reportRowsMax}`)
  expect(headers.get('x-next-cursor')).toBeNull()
  expect(json.rows).toHaveLength(Number(headers.get('x-total-count')))
})

test('the CSV has the rows and the total of the JSON, and no cell is a formula', async () => {
  const { rows, total } = await readReport('director')
  const file = await get('director', '/csv')
  expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(file.headers.get('content-disposition')).toMatch(/filename="report-by-playlist-\d{4}-\d\d-\d\d\.csv"/)
  const [header, ...lines] = file.text.replace('\uFEFF', '').trimEnd().split('\r\n')
  const columns = header!.split(',')
  const cellsOf = (kind: string, figures: Partial<ReportRow>) =>
    columns.map(column => (column === 'row' ? kind : String(figures[column as keyof ReportRow] ?? '')))
  expect(lines.map(line => line.replace(`"'=Tools"`, '=Tools').split(','))).toEqual([
    ...rows.map(row => cellsOf('playlist', row)),
    cellsOf('total', total),
  ])
  expect(file.text).toContain(`,"'=Tools",`)
})

test('a report agrees with the record of its person', async () => {
  const [row] = (await readReport('supervisor', '?by=person')).rows
  const { json: record } = await callAs(world, url, people.supervisor).get(`/records/people/${row!.id}`)
  expect(row).toMatchObject({ credited_seconds: record.totals.credited_seconds, tasks: record.totals.tasks })
})

test.each([
  ['', [10, 3.34, 3.33]],
  ['from=2026-01-01', [10, 3.34, 1.33]],
  ['from=2026-01-01&until=2026-01-05', [10, 3.34, 1.33]],
  // The completed task was closed on the day before.
  ['from=2026-01-06', [0, 0, 0]],
])('the credit of the period "%s" is %j, in rows, total, file and records', async (period, credit) => {
  const { rows, total } = await readReport('director', `?by=person&${period}`)
  expect(rows.map(({ name, credited_in_period }) => [name, credited_in_period])).toEqual(
    ['Trainee One', 'Trainee Three', 'Trainee Two'].map((name, index) => [name, credit[index]]),
  )
  expect(total.credited_in_period).toBe(sumHundredths(credit))
  const { rows: teams } = await readReport('director', `?by=team&${period}`)
  expect(sumHundredths(teams.map(row => row.credited_in_period ?? Number.NaN))).toBe(total.credited_in_period)

  const [header, ...lines] = (await get('director', `/csv?by=person&${period}`)).text.trimEnd().split('\r\n')
  expect(header!.split(',').at(-1)).toBe('credited_in_period')
  expect(lines.map(line => Number(line.split(',').at(-1)))).toEqual([...credit, total.credited_in_period])

  const records = await Promise.all(
    rows.map(({ id }) => callAs(world, url, people.director).get(`/records/people/${id}?${period}`)),
  )
  expect(records.map(({ json }) => json.totals.credited_in_period)).toEqual(credit)
})

test('an overdue task and a late completion show once the due date has passed', async () => {
  world.clock.advance(2 * dayMs)
  expect((await readReport('supervisor')).total).toMatchObject({ completed_in_time: 1, overdue: 1, open: 1 })
})

test('the history of many people is read by its index, without sorting', async () => {
  const personIds = [people.trainee1.id, people.trainee2.id, people.trainee3.id]
  const found = collectionOf(world, 'task_facts').find({ person_id: { $in: personIds } })
  const { queryPlanner } = await found.sort({ person_id: 1, at: 1 }).explain('queryPlanner')
  const plan = JSON.stringify(queryPlanner.winningPlan)
  expect(plan).toContain('"indexName":"person_id_1_at_1"')
  expect(plan).not.toMatch(/"stage":"(COLLSCAN|SORT)"/)
})

test('who sees figures of people in a report or in analytics is listed for these people, once a day', async () => {
  const { manager } = people
  const countViews = () => collectionOf(world, 'detail_views').countDocuments({ viewer_id: manager.id })
  const viewsOf = async (name: keyof PeopleByName) => {
    const { json } = await callAs(world, url, people[name]).get('/engagement/record/views')
    return json
      .filter(({ viewer_id }: { viewer_id: string }) => viewer_id === manager.id)
      .map(({ what }: { what: string }) => what)
  }
  await collectionOf(world, 'detail_views').deleteMany({})
  for (const by of ['playlist', 'team', 'organisation']) await readReport('manager', `?by=${by}`)
  expect((await get('manager', '/csv?by=team')).status).toBe(200)
  const analytics = '/manager/team-analytics?engagements='
  expect((await callAs(world, url, manager).get(`${analytics}none`)).status).toBe(200)
  expect(await countViews()).toBe(0)

  const { rows } = await readReport('manager', '?by=person&limit=1')
  expect(rows.map(({ id }) => id)).toEqual([people.trainee1.id])
  expect([await viewsOf('trainee1'), await viewsOf('trainee2')]).toEqual([['record'], []])
  expect((await get('manager', '/csv?by=person')).status).toBe(200)
  expect([(await viewsOf('trainee1')).sort(), await viewsOf('trainee2')]).toEqual([
    ['record', 'team_export'],
    ['team_export'],
  ])
  await Promise.all([1, 2, 3].map(() => callAs(world, url, manager).get(`${analytics}all`)))
  expect((await viewsOf('trainee2')).sort()).toEqual(['record', 'team_export'])
  const stored = await countViews()
  for (let poll = 0; poll < 3; poll += 1) await readReport('manager', '?by=person')
  expect(await countViews()).toBe(stored)
})

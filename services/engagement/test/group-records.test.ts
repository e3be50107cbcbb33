import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import type { PersonSnapshot } from '@watchline/contracts/people'
import type { GroupRecord, IssuedDocument, WatchingRecord } from '@watchline/contracts/records'
import { canonicalJson } from '@watchline/kit/core/canonical-json'
import { makeErasure } from '@watchline/testing/erased-person'
import { eventually } from '@watchline/testing/harness'
import { assignTask, dayMs, dueOf, verifyDocument, watchVideo } from './_records.ts'
import {
  callAs,
  collectionOf,
  createEngagementWorld,
  createPeople,
  type EngagementWorld,
  iso,
  type PeopleByName,
} from './_util.ts'

let world: EngagementWorld
let url: string
let people: PeopleByName
let fireSafety: string
let ladders: string
/** One more than one record of a group may have. */
let crowd: PersonSnapshot[]

/** Trainees 1 and 2 are of one team and trainee 3 of another; a manager is a member, too. */
beforeAll(async () => {
  world = await createEngagementWorld()
  people = createPeople(world, { trainee1: 'Cleo', trainee2: 'Anna', trainee3: 'Bert' })
  // The service knows those who exist at its start.
  crowd = Array.from({ length: limits.groupRecordMembersMax + 1 }, () => world.addPerson('user'))
  url = (await world.start()).url
  const { trainee1, trainee2, trainee3, manager, supervisor, otherSupervisor } = people
  announceGroup('warehouse', [trainee1, trainee2, trainee3, manager], [supervisor, otherSupervisor])
  fireSafety = await assignTask(world, [trainee1, trainee2, trainee3], { by: supervisor })
  ladders = await assignTask(world, [trainee1], { by: people.manager, title: 'Ladders', durations: [20] })
  await watch(trainee1, fireSafety, 'v0', 60)
  await watch(trainee1, fireSafety, 'v1', 30)
  await watch(trainee3, fireSafety, 'v0', 20)
})
afterAll(() => world.close())

const watch = (person: PersonSnapshot, playlistId: string, videoId: string, to: number) =>
  watchVideo(world, url, person, { playlistId, videoId, to })
const caller = (name: keyof PeopleByName) => callAs(world, url, people[name])
const path = (group = 'warehouse') => `/records/groups/${group}`
const sha256 = (value: unknown) => createHash('sha256').update(canonicalJson(value)).digest('hex')
const nameOf = ({ people }: Pick<GroupRecord, 'people'>, index: number | null) => people[index!]?.name

/** Directors and administrators see every group. */
function announceGroup(id: string, members: readonly { id: string }[], viewers: readonly { id: string }[] = []) {
  const visibleTo = [...viewers, people.director, people.admin]
  const idsOf = (list: readonly { id: string }[]) => list.map(person => person.id)
  world.owners.groups.set(id, { name: `The ${id}`, members: idsOf(members), viewers: idsOf(visibleTo) })
}

async function read(name: keyof PeopleByName, query = ''): Promise<GroupRecord> {
  const answer = await caller(name).get(`${path()}${query}`)
  expect(answer.status).toBe(200)
  return answer.json
}

async function issue(name: keyof PeopleByName, body: Record<string, string> = {}, group?: string) {
  const answer = await caller(name).post(`${path(group)}/issued`, body)
  expect(answer.status).toBe(200)
  return answer.json as { code: string; number: number; kind: string }
}

async function download(name: keyof PeopleByName, code: string): Promise<IssuedDocument> {
  const answer = await caller(name).get(`/records/issued/${code}/json`)
  expect(answer.status).toBe(200)
  return JSON.parse(answer.text)
}

test('the record of a group says of each member what was assigned, watched and completed', async () => {
  const record = await read('director')
  expect(record).toMatchObject({
    ...{ group: { id: 'warehouse', name: 'The warehouse' }, playlist_id: null, period: { from: null, until: null } },
    members: { at: 'issue', total: 4, left_out: 1 },
    totals: { tasks: 4, completed_tasks: 1, videos: 7, completed_videos: 2, sessions: 3, credited_seconds: 110 },
  })
  expect(record.playlists.map(({ title }) => title).sort()).toEqual(['Fire safety', 'Ladders'])
  expect(record.records.map(({ person }) => nameOf(record, person))).toEqual(['Anna', 'Bert', 'Cleo'])
  const [anna, bert, cleo] = record.records
  expect(anna!.tasks).toMatchObject([{ completed: false, completed_at: null, credited_seconds: 0, sessions: 0 }])
  expect(bert!.tasks).toMatchObject([{ completed: false, credited_seconds: 20, sessions: 1 }])
  const done = cleo!.tasks.find(({ playlist_id }) => playlist_id === fireSafety)!
  expect(done).toMatchObject({
    completed: true,
    credited_seconds: 90,
    sessions: 2,
    completion_rate: 100,
    ended_at: null,
  })
  expect(done.due).toEqual(dueOf(Date.parse(done.assigned_at!) + dayMs))
  expect(nameOf(record, done.assigned_by)).toBe(people.supervisor.name)
  expect(nameOf(record, cleo!.tasks.find(({ playlist_id }) => playlist_id === ladders)!.assigned_by)).toBe(
    people.manager.name,
  )
})

test('its figures are those of the records of its members, for each period and task', async () => {
  await decide('mark_done', people.trainee2, fireSafety)
  await decide('reset', people.trainee3, fireSafety)
  await watch(people.trainee3, fireSafety, 'v0', 30)
  const day = iso(world.clock.now()).slice(0, 10)
  for (const query of ['', `?from=${day}`, '?until=2025-12-31', `?playlist_id=${fireSafety}`]) {
    const record = await read('director', query)
    for (const { person, tasks, ...figures } of record.records) {
      const own: WatchingRecord | undefined = (
        await caller('director').get(`/records/people/${record.people[person]!.id}${query}`)
      ).json
      const { watch_time, credited_seconds, credited_in_period, all_attempts } = own!.totals
      const hasEarlier = own!.tasks.some(task => task.all_attempts)
      expect(figures).toEqual({
        ...{ watch_time, credited_seconds, credited_in_period },
        ...(hasEarlier && { all_attempts }),
      })
      expect(tasks).toHaveLength(own!.tasks.length)
      tasks.forEach((task, index) => {
        const ownTask = own!.tasks[index]!
        expect(task).toMatchObject({
          ...{ playlist_id: ownTask.playlist_id, completed: ownTask.completed, completed_at: ownTask.completed_at },
          ...{ credited_seconds: ownTask.credited_seconds, sessions: ownTask.sessions.length },
          override: ownTask.override && { kind: ownTask.override.kind, at: ownTask.override.at },
        })
        expect(task.all_attempts).toEqual(ownTask.all_attempts)
      })
    }
    const sum = (values: number[]) => Math.round(values.reduce((total, value) => total + value, 0) * 100) / 100
    expect(record.totals.credited_seconds).toBe(sum(record.records.map(({ credited_seconds }) => credited_seconds)))
    for (const name of ['credited_seconds', 'credited_in_period'] as const)
      expect(record.totals.all_attempts![name]).toBe(
        sum(record.records.map(({ all_attempts, ...figures }) => (all_attempts ?? figures)[name])),
      )
  }
})

test('the reasons of decisions and changed terms stand with the members, as in their own records', async () => {
  const { trainee2, trainee3, supervisor, manager } = people
  world.clock.advance(60_000)
  const due = dueOf(world.clock.now() + 9 * dayMs)
  const at = iso(world.clock.now())
  for (const [person, reason] of [
    [trainee2, 'On leave until May'],
    [trainee3, ''],
  ] as const)
    await world.publish('assignment.due_changed', {
      ...{ playlist_id: fireSafety, title: 'Fire safety', by: manager.id, changed: [person.id], due },
      ...{ changed_at: at, ...(reason && { reason }) },
    })
  await eventually(async () => {
    const { records, people: named } = await read('director')
    const [anna, bert, cleo] = records.map(({ person }) => named[person]!)
    const indexOf = ({ id }: { id: string }) => named.findIndex(person => person.id === id)
    const decision = { playlist_id: fireSafety, by: indexOf(supervisor), reason: 'A private reason' }
    const change = { playlist_id: fireSafety, by: indexOf(manager), about: 'terms', at }
    expect(anna!.reasons).toEqual([
      { ...decision, about: 'mark_done', at: expect.any(String) },
      { ...change, reason: 'On leave until May' },
    ])
    expect(bert!.reasons).toEqual([{ ...decision, about: 'reset', at: expect.any(String) }])
    expect(cleo).not.toHaveProperty('reasons')
    expect(JSON.stringify(records)).not.toContain('private reason')
  })
  for (const { id } of [trainee2, trainee3]) {
    const own: WatchingRecord = (await caller('director').get(`/records/people/${id}`)).json
    const reasons = own.tasks.flatMap(({ exceptions, assignments }) =>
      [...exceptions, ...assignments.flatMap(({ due_changes }) => due_changes)].flatMap(({ reason }) => reason || []),
    )
    const { people: named } = await read('director')
    expect(
      named
        .find(person => person.id === id)!
        .reasons!.map(({ reason }) => reason)
        .sort(),
    ).toEqual(reasons.sort())
  }
  const { people: ofTask } = await read('director', `?playlist_id=${ladders}`)
  expect(JSON.stringify(ofTask)).not.toContain('reason')
})

async function decide(action: 'mark_done' | 'reset', person: PersonSnapshot, playlistId: string) {
  world.clock.advance(60_000)
  await world.publish('assignment.overridden', {
    ...{ playlist_id: playlistId, title: 'Fire safety', by: people.supervisor.id, changed: [person.id] },
    ...{ action, reason: 'A private reason', changed_at: iso(world.clock.now()) },
  })
}

test('a recurring task stands with the due date of its present occurrence and the outcomes before', async () => {
  const person = world.addPerson('user', { supervisor_id: people.supervisor.id })
  announceGroup('drivers', [person])
  const playlist = world.playlist([20], { title: 'Yearly briefing' })
  const { playlist_id, title } = playlist
  await world.publish('playlist.created', playlist)
  world.assign(playlist, person)
  const due = dueOf(world.clock.now() + dayMs)
  const next = dueOf(world.clock.now() + 366 * dayMs)
  const recurrence = {
    interval: 1,
    unit: 'year',
    from: 'due_date',
    opens_days_before: 30,
    first_due: due.local,
  } as const
  const by = people.supervisor.id
  await world.publish('playlist.assigned', {
    ...{ playlist_id, title, by, assigned: [person.id], due, recurrence, assigned_date: iso(world.clock.now()) },
  })
  await watch(person, playlist_id, 'v0', 20)
  world.clock.advance(60_000)
  await world.publish('assignment.recurred', {
    ...{ playlist_id, title, people: [person.id], due: next, recurrence, previous_due: due, skipped: [] },
    recurred_at: iso(world.clock.now()),
  })
  await eventually(async () =>
    expect((await caller('director').get(path('drivers'))).json.records[0].tasks).toMatchObject([
      {
        ...{ completed: false, due: next, recurrence, occurrences: [{ due, outcome: 'completed' }] },
        ...{ present_occurrence: { due: next }, credited_seconds: 0 },
        all_attempts: { credited_seconds: 20, completed_occurrences: 1 },
      },
    ]),
  )
  const { totals } = (await caller('director').get(path('drivers'))).json
  expect(totals).toMatchObject({
    ...{ completed_tasks: 0, credited_in_period: 0 },
    all_attempts: { credited_in_period: 20, completed_occurrences: 1 },
  })
})

test('a supervisor sees only the members of the own team, and the record says how many are left out', async () => {
  const record = await read('supervisor')
  expect(record.records.map(({ person }) => nameOf(record, person))).toEqual(['Anna', 'Cleo'])
  expect(record.members).toEqual({ at: 'issue', total: 4, left_out: 2 })
  expect(JSON.stringify(record)).not.toContain('Bert')
})

test('a manager sees the members in their teams, and the record says how many are left out', async () => {
  const { manager, trainee1, trainee2, trainee3, supervisor, otherSupervisor } = people
  announceGroup('all-teams', [trainee1, trainee2, trainee3, manager], [supervisor, otherSupervisor, manager])
  const record: GroupRecord = (await caller('manager').get(path('all-teams'))).json
  expect(record.records.map(({ person }) => nameOf(record, person))).toEqual(['Anna', 'Cleo'])
  expect(record.members).toEqual({ at: 'issue', total: 4, left_out: 2 })
  expect(JSON.stringify(record)).not.toContain('Bert')
  expect((await caller('otherManager').get(path('all-teams'))).status).toBe(404)

  const { code } = await issue('manager', {}, 'all-teams')
  const file = await download('manager', code)
  expect(file.record).toMatchObject({ members: record.members, totals: record.totals })
  expect((await caller('otherManager').get(`/records/issued/${code}/json`)).status).toBe(404)
  const ofAll = await issue('director', {}, 'all-teams')
  expect((await caller('manager').get(`/records/issued/${ofAll.code}/json`)).status).toBe(404)
  expect((await verifyDocument(url, { code })).json.status).toBe('valid')
  const views = (await caller('trainee1').get('/engagement/record/views')).json
  expect(views.map(({ viewer_id }: { viewer_id: string }) => viewer_id)).toContain(manager.id)
  // The group of which no user of the manager is a member any more.
  const group = world.owners.groups.get('all-teams')!
  world.owners.groups.set('all-teams', { ...group, viewers: group.viewers.filter(id => id !== manager.id) })
  expect((await caller('manager').get(`/records/issued/${code}/json`)).status).toBe(404)
})

test('only those who see the group read its record, and each look is noted for the members', async () => {
  const statuses = async (...names: (keyof PeopleByName)[]) =>
    Promise.all(names.map(async name => (await caller(name).get(path())).status))
  expect(await statuses('director', 'admin', 'supervisor', 'otherSupervisor')).toEqual([200, 200, 200, 200])
  expect(await statuses('trainee1', 'manager', 'otherManager')).toEqual([403, 404, 404])
  announceGroup('office', [people.trainee1])
  expect((await caller('supervisor').get(path('office'))).status).toBe(404)
  expect((await caller('supervisor').post(`${path('office')}/issued`, {})).status).toBe(404)
  expect((await caller('director').get(path('no-such-group'))).status).toBe(404)
  expect((await caller('director').get(`${path()}?playlist_id=unknown`)).status).toBe(404)
  expect((await caller('director').get(`${path()}?from=2026-02-01&until=2026-01-31`)).status).toBe(422)
  const viewersOf = async (name: 'trainee1' | 'trainee3') =>
    (await caller(name).get('/engagement/record/views')).json.map(({ viewer_id }: { viewer_id: string }) => viewer_id)
  expect(await viewersOf('trainee1')).toEqual(expect.arrayContaining([people.supervisor.id, people.director.id]))
  expect(await viewersOf('trainee3')).not.toContain(people.supervisor.id)
  world.owners.unavailable = true
  try {
    expect((await caller('director').get(path())).status).toBe(503)
  } finally {
    world.owners.unavailable = false
  }
})

test('an issued record of a group has a seal in the chain, and anybody can verify it', async () => {
  const { code, number, kind } = await issue('director')
  expect(kind).toBe('group_record')
  const file = await download('admin', code)
  const { people: _, ...shown } = await read('director')
  expect(file.record).toEqual({ ...shown, code, people: file.people.map(sha256) })
  expect(file.seal).toMatchObject({ number, kind: 'group_record', record_sha256: sha256(file.record) })
  const details = { group: 'The warehouse', members: 3, tasks: shown.totals.tasks, name: null }
  expect((await verifyDocument(url, { code })).json).toMatchObject({ status: 'valid', number, details })
  const text = JSON.stringify(file)
  expect((await verifyDocument(url, { document: text })).json).toMatchObject({ status: 'valid', details })
  for (const forged of [
    text.replace('"completed":false', '"completed":true'),
    text.replace('On leave until May', 'On leave until June'),
  ]) {
    expect(forged).not.toBe(text)
    expect((await verifyDocument(url, { document: forged })).json.status).toBe('changed')
  }
  const shared = { ...file, people: file.people.filter(({ reasons }) => !reasons) }
  expect((await verifyDocument(url, { document: JSON.stringify(shared) })).json.status).toBe('valid')
  const pdf = await caller('director').get(`/records/issued/${code}/pdf`)
  expect(pdf.headers.get('content-type')).toBe('application/pdf')
  expect(pdf.headers.get('content-disposition')).toContain(`group-record-${number}.pdf`)
  expect(pdf.text.startsWith('%PDF-1.7')).toBe(true)
})

test('an issued record of a group is in the export of its members, without the names of the others', async () => {
  const { code } = await issue('director')
  const { text } = await caller('trainee2').get('/engagement/record/data')
  const lines: { kind: string; data: { code?: string; people?: unknown } }[] = text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const [named] = lines.filter(({ kind, data }) => kind === 'named_in_records' && data.code === code)
  expect(named?.data).toMatchObject({
    ...{ kind: 'group_record', group_id: 'warehouse', seal: { issued_at: expect.any(String) } },
    people: [{ id: people.trainee2.id, name: people.trainee2.name, reasons: [{}, { reason: 'On leave until May' }] }],
  })
  expect(text).not.toContain(people.trainee3.name)
})

test('issued twice and on two replicas it is one document, until a member joins', async () => {
  const other = await world.start({ ports: await world.otherPorts() })
  const urls = [url, other.url, url, other.url]
  const issueAt = (at: string) =>
    callAs(world, at, people.director).post(`${path()}/issued`, { playlist_id: fireSafety })
  const answers = await Promise.all(urls.map(issueAt))
  const first = answers[0]!.json
  expect(answers.map(({ json }) => json.number)).toEqual(urls.map(() => first.number))
  // A supervisor has another document, which replaces none of a director's.
  const ofTeam = await issue('supervisor', { playlist_id: fireSafety })
  expect(ofTeam.number).not.toBe(first.number)
  expect((await verifyDocument(url, { code: first.code })).json.status).toBe('valid')

  const newcomer = world.addPerson('user', { supervisor_id: people.supervisor.id, name: 'Newcomer' })
  await callAs(world, url, newcomer).get('/engagement/record')
  const group = world.owners.groups.get('warehouse')!
  world.owners.groups.set('warehouse', { ...group, members: [...group.members, newcomer.id] })
  const next = await issue('director', { playlist_id: fireSafety })
  expect(next.number).toBeGreaterThan(ofTeam.number)
  expect((await verifyDocument(url, { code: first.code })).json).toMatchObject({ status: 'replaced' })
  expect((await verifyDocument(url, { code: next.code })).json.details).toMatchObject({ members: 4 })
  world.owners.groups.set('warehouse', group)
})

test('it is downloaded only by those who see the group and all its members', async () => {
  const ofAll = await issue('director', { from: '2024-01-01' })
  const ofTeam = await issue('supervisor', { from: '2024-01-01' })
  const statuses = async (code: string, ...names: (keyof PeopleByName)[]) =>
    Promise.all(names.map(async name => (await caller(name).get(`/records/issued/${code}/json`)).status))
  const names = ['director', 'admin', 'supervisor', 'otherSupervisor', 'manager', 'trainee1'] as const
  expect(await statuses(ofAll.code, ...names)).toEqual([200, 200, 404, 404, 404, 404])
  expect(await statuses(ofTeam.code, ...names)).toEqual([200, 200, 200, 404, 404, 404])
  const group = world.owners.groups.get('warehouse')!
  world.owners.groups.delete('warehouse')
  expect(await statuses(ofTeam.code, ...names)).toEqual([200, 200, 404, 404, 404, 404])
  world.owners.groups.set('warehouse', group)
})

describe('the record of a large group', () => {
  const readPart = async (query: string, name: keyof PeopleByName = 'admin'): Promise<GroupRecord> => {
    const answer = await caller(name).get(`${path('everybody')}${query}`)
    expect(answer.status).toBe(200)
    return answer.json
  }
  const idsOf = ({ records, people: listed }: GroupRecord) => records.map(({ person }) => listed[person]!.id)
  const sorted = (ids: readonly string[]) => [...ids].sort()

  test('is divided into parts, of which each member is in one', async () => {
    announceGroup('everybody', crowd)
    const parts = [await readPart(''), await readPart('?part=2&parts=3'), await readPart('?part=3&parts=3')]
    expect(parts.map(({ part }) => part)).toEqual([1, 2, 3].map(number => ({ number, of: 3 })))
    expect(parts.map(({ members }) => members)).toEqual(Array(3).fill({ at: 'issue', total: 1_001, left_out: 0 }))
    expect(sorted(parts.flatMap(idsOf))).toEqual(sorted(crowd.map(({ id }) => id)))
    // As docs/records.md says it.
    const numberOf = (id: string) =>
      (Number.parseInt(createHash('sha256').update(id).digest('hex').slice(0, 8), 16) % 3) + 1
    parts.forEach((part, index) => {
      expect(new Set(idsOf(part).map(numberOf))).toEqual(new Set([index + 1]))
    })
    // People who join and leave move nobody else to another part.
    announceGroup('everybody', [...crowd.slice(0, -10), people.trainee1])
    const remaining = new Set(crowd.slice(0, -10).map(({ id }) => id))
    const expected = idsOf(parts[1]!).filter(id => remaining.has(id))
    expect(sorted(idsOf(await readPart('?part=2&parts=3'))).filter(id => id !== people.trainee1.id)).toEqual(
      sorted(expected),
    )
    announceGroup('everybody', crowd.slice(1))
    expect(await readPart('')).not.toHaveProperty('part')
    expect((await readPart('')).records).toHaveLength(limits.groupRecordMembersMax)
  })

  test('is issued part by part, and each part replaces only its earlier version', async () => {
    announceGroup('everybody', crowd)
    const issuePart = async (part: number, parts = 3) => {
      const answer = await caller('admin').post(`${path('everybody')}/issued`, { part, parts })
      expect(answer.status).toBe(200)
      return answer.json as { code: string }
    }
    const [second, third] = [await issuePart(2), await issuePart(3)]
    expect(await issuePart(2)).toEqual(second)
    const verified = async ({ code }: { code: string }) => (await verifyDocument(url, { code })).json
    expect(await verified(second)).toMatchObject({ status: 'valid', details: { part: { number: 2, of: 3 } } })
    const file = await download('admin', third.code)
    expect((await verifyDocument(url, { document: JSON.stringify(file) })).json).toMatchObject({
      status: 'valid',
      details: { part: { number: 3, of: 3 }, members: file.people.length },
    })
    const member = crowd.find(({ id }) => file.people.some(person => person.id === id))!
    announceGroup(
      'everybody',
      crowd.filter(({ id }) => id !== member.id),
    )
    await issuePart(3)
    expect(await verified(third)).toMatchObject({ status: 'replaced' })
    // The total of the group is another one, too.
    await issuePart(2)
    expect(await verified(second)).toMatchObject({ status: 'replaced' })
  })

  test('of a supervisor has one part, if they see few of its members', async () => {
    const viewer = people.supervisor
    announceGroup('everybody', [...crowd, people.trainee1], [viewer])
    const record = await readPart('', 'supervisor')
    expect(record).not.toHaveProperty('part')
    expect([idsOf(record), record.members]).toEqual([
      [people.trainee1.id],
      { at: 'issue', total: 1_002, left_out: 1_001 },
    ])
  })

  test.each([
    ['?part=4&parts=3', 422],
    ['?parts=0', 422],
    ['?part=two&parts=3', 422],
    [`?parts=${limits.groupRecordPartsMax + 1}`, 422],
    ['?part=4', 404],
    // Too many for one document.
    ['?parts=1', 422],
  ])('is refused as %s', async (query, status) => {
    announceGroup('everybody', crowd)
    expect((await caller('admin').get(`${path('everybody')}${query}`)).status).toBe(status)
  })
})

test('a record that would be too long is refused, with what to do', async () => {
  // Few members, each with many tasks.
  const members = crowd.slice(0, 40)
  announceGroup('many-tasks', members)
  for (let count = 0; count < 40; count += 1) await assignTask(world, members, { by: people.supervisor })
  const tooLong = await caller('director').get(path('many-tasks'))
  expect([tooLong.status, tooLong.json.detail]).toEqual([
    422,
    expect.stringMatching(/too long.*Choose one task.*more parts/),
  ])
  expect((await caller('director').get(`${path('many-tasks')}?parts=8`)).status).toBe(200)
})

test('an erased member has no name in the register, and the document stays genuine', async () => {
  const { code } = await issue('admin')
  const file = await download('admin', code)
  expect(file.people.flatMap(({ reasons = [] }) => reasons.map(({ about }) => about))).toContain('reset')
  await world.publish('user.erased', makeErasure(people.trainee3))
  await eventually(async () => {
    const stored = JSON.stringify(await collectionOf(world, 'issued_records').find().toArray())
    expect(stored).not.toContain(people.trainee3.id)
    expect(stored).not.toContain('Bert')
    expect(stored).not.toContain('"reset"')
  })
  expect((await verifyDocument(url, { code })).json).toMatchObject({ status: 'valid', details: { members: 3 } })
  expect((await verifyDocument(url, { document: JSON.stringify(file) })).json.status).toBe('valid')
  const { people: named } = await download('admin', code)
  expect(named.map(({ name }) => name)).not.toContain('Bert')
  expect(named.map(({ name }) => name)).toContain('Cleo')
  expect(JSON.stringify(await read('director'))).not.toContain('"reset"')
})

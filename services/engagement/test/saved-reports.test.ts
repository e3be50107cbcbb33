import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { getReportMail } from '@watchline/contracts/internal-operations'
import { limits } from '@watchline/contracts/limits'
import type { SavedReport } from '@watchline/contracts/saved-reports'
import { createInternalClient } from '@watchline/kit/http/internal-client'
import { makeErasure } from '@watchline/testing/erased-person'
import { eventually } from '@watchline/testing/harness'
import type { EngagementService } from '../src/service.ts'
import { callAs, collectionOf, createEngagementWorld, createPeople, type EngagementWorld, iso } from './_util.ts'

const path = '/engagement/saved-reports'
const weekly = { every: 'week', weekday: 1, time: '08:00', time_zone: 'Europe/Berlin' }
const fields = { name: 'Overdue tasks', by: 'person', period: 'last_7_days', status: 'overdue', schedule: weekly }

let world: EngagementWorld
let url: string
let otherUrl: string
let replicas: EngagementService[]
beforeAll(async () => {
  world = await createEngagementWorld()
  world.clock.advance(Date.UTC(2027, 2, 24, 12) - world.clock.now())
  const [first, second] = [await world.start(), await world.start({ ports: await world.otherPorts() })]
  ;[url, otherUrl] = [first.url, second.url]
  replicas = [first.service, second.service]
})
afterAll(() => world.close())

const stored = () => collectionOf(world, 'saved_reports')
const as = (person: { id: string }) => callAs(world, url, person)

async function save(owner: { id: string }, changes: object = {}): Promise<SavedReport> {
  const answer = await as(owner).post(path, { ...fields, ...changes })
  expect([answer.status, answer.text]).toEqual([201, expect.anything()])
  return answer.json.report
}

const listOf = async (owner: { id: string }): Promise<SavedReport[]> => (await as(owner).get(path)).json

test('a saved report has its choice, its schedule and its next sending, and goes to its owner', async () => {
  const { manager } = createPeople(world)
  const report = await save(manager)
  // 08:00 in Berlin, the day after the clocks changed to summer time.
  expect(report).toEqual({
    ...fields,
    ...{ id: expect.any(String), version: 1, next_send_at: '2027-03-29T06:00:00.000Z' },
    ...{ owner: { id: manager.id, name: manager.name }, recipients: [{ id: manager.id, name: manager.name }] },
  })
  const plain = await save(manager, { name: 'All tasks', status: undefined, schedule: undefined })
  expect(plain).toMatchObject({ schedule: null, next_send_at: null })
  expect(await listOf(manager)).toEqual([plain, report])
  expect((await as(manager).get(`${path}/${report.id}`)).json).toEqual(report)
})

test('a change replaces the report, and only a new schedule moves its next sending', async () => {
  const { manager } = createPeople(world)
  const { id, next_send_at } = await save(manager)
  const change = async (body: object) => as(manager).put(`${path}/${id}`, { ...fields, ...body })
  // Its time has come, and the job has not looked yet.
  await stored().updateOne({ _id: id }, { $set: { next_send_at: new Date(world.clock.now() - 1) } })
  const renamed = await change({ name: 'Late tasks', status: undefined, version: 1 })
  expect(renamed.json.report).toMatchObject({
    name: 'Late tasks',
    next_send_at: iso(world.clock.now() - 1),
    version: 2,
  })
  expect(renamed.json.report).not.toHaveProperty('status')
  expect((await change({ version: 1 })).json.code).toBe('edited_elsewhere')
  expect((await change({ name: '', version: 2 })).status).toBe(422)
  expect((await listOf(manager))[0]).toEqual(renamed.json.report)
  const monthly = { every: 'month', day: 28, time: '23:45', time_zone: 'UTC' }
  expect((await change({ schedule: monthly, version: 2 })).json.report.next_send_at).toBe('2027-03-28T23:45:00.000Z')
  expect((await change({ schedule: null, version: 3 })).json.report.next_send_at).toBeNull()
  expect((await change({ version: 4 })).json.report.next_send_at).toBe(next_send_at)
})

test('of two changes of the same version at once, one is refused', async () => {
  const { manager } = createPeople(world)
  const { id } = await save(manager)
  const answers = await Promise.all(
    [url, otherUrl].map((base, index) =>
      callAs(world, base, manager).put(`${path}/${id}`, { ...fields, name: `Name ${index}`, version: 1 }),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
})

test('a repeated creation saves one report, also at the same time on two replicas', async () => {
  const { manager } = createPeople(world)
  const body = { ...fields, client_id: randomUUID() }
  const create = (base: string) => callAs(world, base, manager).post(path, body)
  const answers = await Promise.all([url, otherUrl, url, otherUrl].map(create))
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
  expect(new Set(answers.map(({ json }) => json.report.id)).size).toBe(1)
  expect((await create(url)).json.report.id).toBe(answers[0]!.json.report.id)
  expect(await listOf(manager)).toHaveLength(1)
})

test(`a person has at most ${limits.savedReportsPerPerson} saved reports, also if two replicas save at once`, async () => {
  const { manager, director } = createPeople(world)
  for (let count = 0; count < limits.savedReportsPerPerson - 2; count += 1) await save(manager)
  const answers = await Promise.all(
    [url, otherUrl, url, otherUrl].map(base => callAs(world, base, manager).post(path, fields)),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409])
  expect(answers.find(({ status }) => status === 409)!.json.detail).toContain('50 reports already')
  const reports = await listOf(manager)
  expect(reports).toHaveLength(limits.savedReportsPerPerson)
  await as(manager).delete(`${path}/${reports[7]!.id}`)
  await save(manager)
  await save(director)
})

describe('a saved report is refused', () => {
  test.each([
    ['without a name', { name: '  ' }],
    ['with a long name', { name: 'x'.repeat(limits.savedReportNameMaxLength + 1) }],
    ['with a name of two lines', { name: 'One\nTwo' }],
    ['with other rows', { by: 'claim' }],
    ['with fixed dates', { period: '2027-01-01' }],
    ['with another state', { status: 'late' }],
    ['on the 29th', { schedule: { every: 'month', day: 29, time: '08:00', time_zone: 'UTC' } }],
    ['without a weekday', { schedule: { every: 'week', time: '08:00', time_zone: 'UTC' } }],
    ['at another minute', { schedule: { every: 'day', time: '08:10', time_zone: 'UTC' } }],
    ['in an unknown time zone', { schedule: { every: 'day', time: '08:00', time_zone: 'Europe/Nowhere' } }],
    ['of an unknown playlist', { playlist_id: 'nothing' }],
    ['of an unknown group', { group_id: 'nothing' }],
    ['for nobody', { recipient_ids: [] }],
    ['for an unknown person', { recipient_ids: ['nobody'] }],
    ['with another id of the client', { client_id: 'not-a-uuid' }],
  ])('%s, and nothing is stored', async (_, changes) => {
    const { director } = createPeople(world)
    const answer = await as(director).post(path, { ...fields, ...changes })
    expect([answer.status, answer.json.code]).toEqual([422, 'invalid'])
    expect(await listOf(director)).toEqual([])
  })

  test('to trainees, outside the scope of the caller, and of a group that the caller may not see', async () => {
    const people = createPeople(world)
    expect((await as(people.trainee1).post(path, fields)).status).toBe(403)
    expect((await as(people.trainee1).get(path)).status).toBe(403)
    const scope = { supervisor_id: people.supervisor.id }
    expect((await as(people.manager).post(path, { ...fields, ...scope })).status).toBe(403)
    expect((await save(people.director, scope)).supervisor_name).toBe(people.supervisor.name)
    world.owners.groups.set('office', { members: [], viewers: [people.director.id] })
    expect((await as(people.manager).post(path, { ...fields, group_id: 'office' })).status).toBe(422)
    await save(people.director, { group_id: 'office' })
  })

  test('for people to whom the owner may not send it', async () => {
    const people = createPeople(world)
    const deactivated = world.addPerson('supervisor', { deactivated_at: iso(world.clock.now()) })
    const send = async (owner: { id: string }, ...recipients: { id: string }[]) =>
      (await as(owner).post(path, { ...fields, recipient_ids: recipients.map(({ id }) => id) })).status
    expect(await send(people.supervisor, people.supervisor)).toBe(201)
    expect(await send(people.supervisor, people.supervisor, people.manager)).toBe(422)
    expect(await send(people.supervisor, people.trainee1)).toBe(422)
    expect(await send(people.manager, people.manager, people.supervisor)).toBe(201)
    expect(await send(people.manager, people.otherSupervisor)).toBe(422)
    expect(await send(people.manager, people.trainee1)).toBe(422)
    expect(await send(people.director, people.otherManager, people.otherSupervisor, people.admin)).toBe(201)
    expect(await send(people.director, people.trainee1)).toBe(422)
    expect(await send(people.director, deactivated)).toBe(422)
    expect(await send(people.director, people.manager, people.manager)).toBe(422)
    const many = Array.from({ length: limits.savedReportRecipientsMax + 1 }, () => world.addPerson('supervisor'))
    expect(await send(people.director, ...many)).toBe(422)
    expect(await send(people.director, ...many.slice(1))).toBe(201)
  })
})

test('a recipient who left the team stays until the owner removes them, and cannot be added again', async () => {
  const { manager, supervisor } = createPeople(world)
  const recipient_ids = [manager.id, supervisor.id]
  const { id } = await save(manager, { recipient_ids })
  const moved = world.changePerson(supervisor, { manager_id: null })
  await world.publish('user.manager_changed', { person: moved, by: null, previous_manager_id: manager.id })
  await eventually(async () =>
    expect(await collectionOf(world, 'people').findOne({ _id: supervisor.id })).toMatchObject({ manager_id: null }),
  )
  const change = (body: object) => as(manager).put(`${path}/${id}`, { ...fields, ...body })
  expect((await change({ recipient_ids, name: 'Renamed', version: 1 })).json.report.recipients).toHaveLength(2)
  expect((await change({ recipient_ids: [manager.id], version: 2 })).status).toBe(200)
  await eventually(async () => expect((await change({ recipient_ids, version: 3 })).status).toBe(422))
})

test('only the owner and the recipients see a report, and only the owner changes or deletes it', async () => {
  const { manager, supervisor, otherSupervisor } = createPeople(world)
  const { id } = await save(manager, { recipient_ids: [manager.id, supervisor.id] })
  expect((await as(supervisor).get(`${path}/${id}`)).json.owner.id).toBe(manager.id)
  expect(await listOf(supervisor)).toEqual([])
  expect((await as(otherSupervisor).get(`${path}/${id}`)).status).toBe(404)
  for (const person of [supervisor, otherSupervisor]) {
    expect((await as(person).put(`${path}/${id}`, { ...fields, version: 1 })).status).toBe(404)
    expect((await as(person).delete(`${path}/${id}`)).status).toBe(404)
  }
  expect((await as(manager).delete(`${path}/${id}`)).status).toBe(200)
  expect((await as(manager).delete(`${path}/${id}`)).status).toBe(404)
  expect(await stored().findOne({ _id: id })).toBeNull()
})

test('a report is in its owner’s own data, and in those of its recipients', async () => {
  const { manager, supervisor } = createPeople(world)
  await save(manager, { recipient_ids: [manager.id, supervisor.id] })
  const partsOf = async (person: { id: string }) => {
    const lines = (await as(person).get('/engagement/record/data')).text.trim().split('\n')
    return lines.map(line => JSON.parse(line) as { kind: string; data: Record<string, unknown> })
  }
  const dataOf = async (person: { id: string }, kind: string) =>
    (await partsOf(person)).filter(part => part.kind === kind).map(({ data }) => data)
  expect(await dataOf(manager, 'saved_reports')).toMatchObject([{ name: fields.name, owner_id: manager.id }])
  expect(await dataOf(manager, 'received_reports')).toEqual([])
  expect(await dataOf(supervisor, 'saved_reports')).toEqual([])
  const [received] = await dataOf(supervisor, 'received_reports')
  expect(received).toMatchObject({ name: fields.name, schedule: weekly })
  expect(received).not.toHaveProperty('recipient_ids')
})

test.each(['erased', 'deleted'] as const)(
  'the reports of a person who is %s end, and others go to them no more',
  async end => {
    const { manager, supervisor } = createPeople(world)
    const { id } = await save(supervisor)
    const shared = await save(manager, { recipient_ids: [manager.id, supervisor.id] })
    if (end === 'erased') await world.publish('user.erased', makeErasure(supervisor))
    else
      await world.publish('user.deleted', {
        ...{ person_id: supervisor.id, by: null, previous_supervisor_id: null, previous_manager_id: null },
      })
    await eventually(async () => {
      expect(await stored().findOne({ _id: id })).toBeNull()
      expect(await stored().findOne({ _id: shared.id })).toMatchObject({ recipient_ids: [manager.id], version: 2 })
    })
  },
)

describe('a report whose time has come', () => {
  const daily = { every: 'day', time: '06:00', time_zone: 'UTC' }
  const dayMs = 24 * 3600_000
  const findStored = (id: string) => stored().findOne({ _id: id })
  /** Moves to the next sending of a report. */
  function passTo({ next_send_at }: SavedReport) {
    world.clock.advance(Date.parse(next_send_at!) - world.clock.now())
  }
  const eventsOf = ({ id }: { id: string }) => world.of('report.due').filter(({ report_id }) => report_id === id)
  const publishOnce = () => Promise.all(replicas.map(replica => replica.publishDueReportsOnce()))

  async function change(person: { id: string }, changes: object, id = person.id) {
    const changed = world.changePerson({ id }, changes)
    await world.publish('user.role_changed', { person: changed, by: null, previous_role: 'manager' })
    await eventually(async () =>
      expect(await collectionOf(world, 'people').findOne({ _id: id })).toMatchObject({ version: changed.version }),
    )
  }

  test('is published once by two replicas, for each occurrence', async () => {
    const { manager, supervisor } = createPeople(world)
    const report = await save(manager, { schedule: daily, recipient_ids: [manager.id, supervisor.id] })
    await publishOnce()
    expect(eventsOf(report)).toEqual([])
    const occurrenceOf = ({ id: report_id, next_send_at }: SavedReport) => ({
      ...{ report_id, recipients: [manager.id, supervisor.id] },
      ...{ due_at: next_send_at, day: next_send_at!.slice(0, 10) },
    })
    passTo(report)
    await Promise.all([publishOnce(), publishOnce()])
    await eventually(() => expect(eventsOf(report)).toEqual([occurrenceOf(report)]))
    const [next] = await listOf(manager)
    expect(next!.next_send_at).toBe(iso(Date.parse(report.next_send_at!) + dayMs))
    passTo(next!)
    await publishOnce()
    await eventually(() => expect(eventsOf(report)[1]).toEqual(occurrenceOf(next!)))
  })

  test('has the period of the day on the clocks of its schedule, so that no month is left out', async () => {
    const { director } = createPeople(world)
    const schedule = { every: 'month', day: 1, time: '08:00', time_zone: 'Asia/Tokyo' }
    const report = await save(director, { schedule, period: 'last_month', status: undefined })
    const client = createInternalClient({ url, credentials: world.credentialsOf('notification') })
    const params = { reportId: report.id, recipientId: director.id }
    const months = []
    for (let sent = 0; sent < 3; sent += 1) {
      passTo((await listOf(director))[0]!)
      await publishOnce()
      const { due_at, day } = await eventually(
        () => eventsOf(report)[sent] ?? Promise.reject(new Error('not sent yet')),
      )
      const mail = await client.call(getReportMail, { params, query: { due_at, ...(day && { day }) } })
      months.push('period' in mail ? mail.period.from?.slice(0, 7) : mail.refusal)
    }
    const first = new Date(Date.parse(report.next_send_at!))
    // In Tokyo it is the first day of a month while it is the last day of the month before in UTC.
    const expected = [0, 1, 2].map(count =>
      new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + count, 1)).toISOString().slice(0, 7),
    )
    expect(months).toEqual(expected)
  })

  test('comes once after a time without a running replica', async () => {
    const { manager } = createPeople(world)
    const report = await save(manager, { schedule: daily })
    passTo(report)
    world.clock.advance(21 * dayMs + 3600_000)
    await publishOnce()
    await publishOnce()
    const last = iso(Date.parse(report.next_send_at!) + 21 * dayMs)
    await eventually(() => expect(eventsOf(report)).toMatchObject([{ due_at: last }]))
    expect((await findStored(report.id))!.next_send_at).toEqual(new Date(Date.parse(report.next_send_at!) + 22 * dayMs))
  })

  test('whose time zone disappeared counts in that of the organisation, and holds up no other', async () => {
    const { manager } = createPeople(world)
    const [unknown, other] = [await save(manager, { schedule: daily }), await save(manager, { schedule: daily })]
    await stored().updateOne({ _id: unknown.id }, { $set: { 'schedule.time_zone': 'Atlantis/Capital' } })
    passTo(unknown)
    await publishOnce()
    await eventually(() => {
      for (const report of [unknown, other]) expect(eventsOf(report)).toMatchObject([{ due_at: unknown.next_send_at }])
    })
    const listed = (await listOf(manager)).find(({ id }) => id === unknown.id)!
    const nextSendAt = iso(Date.parse(unknown.next_send_at!) + dayMs)
    expect(listed).toMatchObject({ schedule: daily, next_send_at: nextSendAt })
  })

  test('is skipped while its owner has no right to it, and kept', async () => {
    const [{ manager }, { director, supervisor }] = [createPeople(world), createPeople(world)]
    const owned = await save(manager, { schedule: daily })
    const scoped = await save(director, { schedule: daily, supervisor_id: supervisor.id })
    await change(manager, { role: 'user' })
    await change(director, { role: 'manager' })
    passTo(owned)
    await publishOnce()
    for (const { id } of [owned, scoped])
      expect((await findStored(id))!.next_send_at.getTime()).toBeGreaterThan(world.clock.now())
    await change(manager, { role: 'manager' })
    await change(director, { role: 'director', deactivated_at: iso(world.clock.now()) })
    world.clock.advance(dayMs)
    await publishOnce()
    await eventually(() => expect(eventsOf(owned)).toHaveLength(1))
    expect(eventsOf(scoped)).toEqual([])
  })

  test('without a recipient is published to nobody, and one without a schedule never', async () => {
    const { manager } = createPeople(world)
    const [empty, plain] = [await save(manager, { schedule: daily }), await save(manager, { schedule: null })]
    await stored().updateOne({ _id: empty.id }, { $set: { recipient_ids: [] } })
    passTo(empty)
    const last = await save(manager, { schedule: daily })
    passTo(last)
    await publishOnce()
    await eventually(() => expect(eventsOf(last)).toHaveLength(1))
    for (const report of [empty, plain]) expect(eventsOf(report)).toEqual([])
    expect((await listOf(manager)).find(({ id }) => id === empty.id)!.recipients).toEqual([])
  })

  test('many at once are all published, and found by their index', async () => {
    const { director } = createPeople(world)
    const report = await save(director, { schedule: daily })
    const row = (await findStored(report.id))!
    const rows = Array.from({ length: 250 }, (_, index) => ({ ...row, _id: `many-${index}`, slot: 100 + index }))
    await stored().insertMany(rows)
    passTo(report)
    await publishOnce()
    await eventually(() => expect(new Set(rows.flatMap(({ _id: id }) => eventsOf({ id }))).size).toBe(250))
    await stored().deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } })
    const due = stored().find({ next_send_at: { $gt: new Date(0), $lte: new Date() } })
    const { queryPlanner } = await due.sort({ next_send_at: 1 }).explain('queryPlanner')
    expect(JSON.stringify(queryPlanner.winningPlan)).not.toMatch(/"stage":"(COLLSCAN|SORT)"/)
  })
})

describe('a report that its owner sends now', () => {
  const send = (owner: { id: string }, { id }: { id: string }, client_id: string = randomUUID(), base = url) =>
    callAs(world, base, owner).post(`${path}/${id}/send`, { client_id })
  const eventsOf = ({ id }: { id: string }) => world.of('report.due').filter(({ report_id }) => report_id === id)
  const passMinute = () => world.clock.advance(limits.savedReportSendingMs)
  /** The events of one replica are published in order. */
  async function untilPublished(owner: { id: string }) {
    const last = await save(owner)
    for (const base of [url, otherUrl]) {
      passMinute()
      expect((await send(owner, last, randomUUID(), base)).status).toBe(202)
    }
    await eventually(() => expect(eventsOf(last)).toHaveLength(2))
  }

  test('goes to its recipients, and its schedule and version stay', async () => {
    const { manager, supervisor } = createPeople(world)
    const recipient_ids = [manager.id, supervisor.id]
    const report = await save(manager, { recipient_ids })
    const answer = await send(manager, report)
    expect([answer.status, answer.json]).toEqual([202, { success: true, recipients: 2 }])
    const expected = { report_id: report.id, due_at: iso(world.clock.now()), recipients: recipient_ids }
    await eventually(() => expect(eventsOf(report)).toEqual([expected]))
    expect(await listOf(manager)).toEqual([report])
    const plain = await save(manager, { schedule: null })
    expect((await send(manager, plain)).json.recipients).toBe(1)
    expect((await as(manager).get(`${path}/${plain.id}`)).json.next_send_at).toBeNull()
  })

  test('goes once for each press, also if the call comes twice, late, or at the same time on two replicas', async () => {
    const { manager } = createPeople(world)
    const report = await save(manager)
    const press = randomUUID()
    const answers = await Promise.all([url, otherUrl, url, otherUrl].map(base => send(manager, report, press, base)))
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202])
    passMinute()
    expect((await send(manager, report)).status).toBe(202)
    await as(manager).put(`${path}/${report.id}`, { ...fields, name: 'Renamed', version: 1 })
    passMinute()
    expect((await send(manager, report, press)).json).toEqual({ success: true, recipients: 1 })
    await untilPublished(manager)
    expect(eventsOf(report)).toHaveLength(2)
  })

  test('goes once a minute, also if two open pages press at once on two replicas', async () => {
    const { manager } = createPeople(world)
    const [report, other] = [await save(manager), await save(manager)]
    const answers = await Promise.all([url, otherUrl].map(base => send(manager, report, randomUUID(), base)))
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 429])
    expect((await send(manager, other)).status).toBe(202)
    world.clock.advance(limits.savedReportSendingMs - 5_000)
    const early = await send(manager, report)
    expect([early.status, early.json.code, early.headers.get('retry-after')]).toEqual([429, 'too_many', '5'])
    expect(early.json.detail).toContain('less than a minute ago')
    world.clock.advance(5_000)
    expect((await send(manager, report)).status).toBe(202)
    await untilPublished(manager)
    expect(eventsOf(report)).toHaveLength(2)
  })

  test('goes at most so often an hour by one person, also if each report is new', async () => {
    const { manager, supervisor } = createPeople(world)
    const sendNew = async () => {
      const report = await save(manager, { schedule: null })
      const answer = await send(manager, report)
      await as(manager).delete(`${path}/${report.id}`)
      return answer
    }
    const first = world.clock.now()
    for (let count = 0; count < limits.savedReportSendingRateLimit; count += 1)
      expect((await sendNew()).status).toBe(202)
    const refused = await sendNew()
    expect(refused).toMatchObject({ status: 429, json: { code: 'too_many' } })
    const waitMs = first + limits.savedReportRateWindowMs - world.clock.now()
    expect(refused.headers.get('retry-after')).toBe(String(waitMs / 1_000))
    // The limit of one person is nobody else's.
    expect((await send(supervisor, await save(supervisor))).status).toBe(202)
    world.clock.advance(waitMs)
    expect((await sendNew()).status).toBe(202)
  })

  test('is created and changed at most so often an hour by one person', async () => {
    const { manager } = createPeople(world)
    const { id } = await save(manager, { schedule: null })
    const change = (version: number) => as(manager).put(`${path}/${id}`, { ...fields, version })
    for (let version = 1; version < limits.savedReportRateLimit; version += 1)
      expect((await change(version)).status).toBe(200)
    expect(await change(limits.savedReportRateLimit)).toMatchObject({ status: 429, json: { code: 'too_many' } })
    expect((await as(manager).post(path, fields)).status).toBe(429)
  })

  test('is refused to everybody but its owner, without a recipient, and without an id of the press', async () => {
    const { manager, supervisor, otherManager, trainee1 } = createPeople(world)
    const report = await save(manager, { recipient_ids: [manager.id, supervisor.id] })
    for (const person of [supervisor, otherManager]) expect((await send(person, report)).status).toBe(404)
    expect((await send(trainee1, report)).status).toBe(403)
    expect((await send(manager, { id: 'nothing' })).status).toBe(404)
    expect((await send(manager, report, 'not-a-uuid')).json.code).toBe('invalid')
    expect((await as(manager).post(`${path}/${report.id}/send`, {})).json.code).toBe('invalid')
    const empty = await save(manager)
    await stored().updateOne({ _id: empty.id }, { $set: { recipient_ids: [] } })
    const refused = await send(manager, empty)
    expect([refused.status, refused.json.detail]).toEqual([409, 'This report has no recipients. Choose some first.'])
    await untilPublished(manager)
    expect([...eventsOf(report), ...eventsOf(empty)]).toEqual([])
    expect(await stored().findOne({ _id: report.id })).not.toHaveProperty('sendings')
  })

  test('is refused to an owner without the right to the report or its group', async () => {
    const { manager, supervisor, director } = createPeople(world)
    const scoped = await save(director, { supervisor_id: supervisor.id })
    world.owners.groups.set('seen', { members: [], viewers: [manager.id] })
    const grouped = await save(manager, { group_id: 'seen' })
    world.owners.groups.set('seen', { members: [], viewers: [] })
    const answer = await send(manager, grouped)
    expect([answer.status, answer.json.code]).toEqual([403, 'forbidden'])
    world.owners.groups.set('seen', { members: [], viewers: [manager.id] })
    expect((await send(manager, grouped)).status).toBe(202)
    const changed = world.changePerson(director, { role: 'manager' })
    await world.publish('user.role_changed', { person: changed, by: null, previous_role: 'director' })
    await eventually(async () => expect((await send(changed, scoped)).status).toBe(403))
    await untilPublished(manager)
    expect([eventsOf(grouped).length, eventsOf(scoped)]).toEqual([1, []])
  })

  test('works for a report without stored sendings, and keeps the newest 20', async () => {
    const { manager } = createPeople(world)
    const report = await save(manager)
    expect(await stored().findOne({ _id: report.id })).not.toHaveProperty('sendings')
    for (let count = 0; count < 22; count += 1) {
      expect((await send(manager, report)).status).toBe(202)
      // Fewer an hour than one person may send.
      world.clock.advance(limits.savedReportRateWindowMs / 10)
    }
    expect((await stored().findOne({ _id: report.id }))!.sendings).toHaveLength(20)
  })
})

describe('the mail of a report', () => {
  async function addTask(...trainees: { id: string }[]) {
    const playlist = world.playlist([10])
    await world.publish('playlist.created', playlist)
    await world.publish('playlist.assigned', {
      ...{ playlist_id: playlist.playlist_id, title: 'Safety', by: 'somebody', assigned: trainees.map(({ id }) => id) },
      assigned_date: iso(world.clock.now() - 24 * 3600_000),
    })
    await eventually(async () =>
      expect(await collectionOf(world, 'task_facts').countDocuments({ playlist_id: playlist.playlist_id })).toBe(
        trainees.length,
      ),
    )
    return playlist.playlist_id
  }

  /** People with a task of each trainee, whom the projection knows. */
  async function createKnownPeople() {
    const people = createPeople(world)
    for (const person of Object.values(people)) await as(person).get('/engagement/record')
    const playlist_id = await addTask(people.trainee1, people.trainee2, people.trainee3)
    return { people, playlist_id }
  }

  const client = () => createInternalClient({ url, credentials: world.credentialsOf('notification') })
  const read = (report: { id: string }, recipient: { id: string }) =>
    client().call(getReportMail, { params: { reportId: report.id, recipientId: recipient.id }, query: {} })
  const all = { status: undefined, period: 'this_month' }

  test('that is late has the period of its planned time', async () => {
    const { people } = await createKnownPeople()
    const report = await save(people.director, { ...all, period: 'last_7_days' })
    const params = { reportId: report.id, recipientId: people.director.id }
    const late = await client().call(getReportMail, { params, query: { due_at: '2027-03-29T06:00:00.000Z' } })
    expect(late).toMatchObject({ period: { from: '2027-03-22', until: '2027-03-28' } })
    const now = await client().call(getReportMail, { params, query: {} })
    expect(now).toMatchObject({ period: { until: iso(world.clock.now() - 24 * 3600_000).slice(0, 10) } })
  })

  test('has the figures and the file of its recipient', async () => {
    const { people, playlist_id } = await createKnownPeople()
    const { director, manager, otherSupervisor, trainee1, trainee2, trainee3 } = people
    const recipient_ids = [director.id, manager.id, otherSupervisor.id]
    const report = await save(director, { ...all, playlist_id, recipient_ids })
    const mails = await Promise.all([director, manager, otherSupervisor].map(person => read(report, person)))
    const today = iso(world.clock.now()).slice(0, 10)
    const period = { from: `${today.slice(0, 8)}01`, until: today }
    const expected = { name: report.name, owner_name: director.name, period }
    expect(mails).toMatchObject([3, 2, 1].map(tasks => ({ ...expected, total: { tasks, people: tasks, open: tasks } })))
    const files = mails.map(mail => ('csv' in mail ? mail.csv! : undefined))
    expect(files[0]!.file_name).toBe(`report-by-person-${today}.csv`)
    for (const { name } of [trainee1, trainee2, trainee3]) expect(files[0]!.content).toContain(name)
    expect(files[1]!.content).not.toContain(trainee3.name)
    expect(files[2]!.content.match(/\r\n/g)).toHaveLength(3)
    const viewers = async (person: { id: string }) =>
      (await as(person).get('/engagement/record/views')).json.map(
        ({ viewer_id, what }: Record<string, string>) => `${viewer_id} ${what}`,
      )
    expect(new Set(await viewers(trainee3))).toEqual(
      new Set([director, otherSupervisor].map(({ id }) => `${id} team_export`)),
    )
    const download = await as(manager).get(
      `/engagement/report/csv?by=person&playlist_ids=${playlist_id}&from=${period.from}&until=${period.until}`,
    )
    expect(files[1]!.content).toBe(`\uFEFF${download.text}`)
  })

  test('about one team is for who sees all, and for its supervisor', async () => {
    const { people } = await createKnownPeople()
    const { director, admin, manager, supervisor, otherSupervisor } = people
    const recipients = [director, admin, supervisor, manager, otherSupervisor]
    const recipient_ids = recipients.map(({ id }) => id)
    const team = await save(director, { ...all, recipient_ids, supervisor_id: supervisor.id })
    const answers = async (report: { id: string }) =>
      (await Promise.all(recipients.map(person => read(report, person)))).map(mail =>
        'refusal' in mail ? mail.refusal : mail.total.people,
      )
    const refusal = 'recipient_without_right'
    expect(await answers(team)).toEqual([2, 2, 2, refusal, refusal])
    const teams = await save(director, { ...all, recipient_ids, manager_id: manager.id })
    expect(await answers(teams)).toEqual([2, 2, refusal, 2, refusal])
  })

  test('about a group is for who may see the group, and not if its owner may not', async () => {
    const { people } = await createKnownPeople()
    const { director, manager, supervisor, otherSupervisor, trainee1, trainee3 } = people
    const group = { members: [trainee1.id, trainee3.id].sort(), viewers: [director.id, manager.id, supervisor.id] }
    world.owners.groups.set('mailed', group)
    const recipient_ids = [manager.id, supervisor.id]
    const report = await save(director, {
      ...all,
      group_id: 'mailed',
      recipient_ids: [supervisor.id, otherSupervisor.id],
    })
    expect(await read(report, supervisor)).toMatchObject({ total: { people: 1 } })
    expect(await read(report, otherSupervisor)).toEqual({ refusal: 'recipient_without_right' })
    const own = await save(manager, { ...all, group_id: 'mailed', recipient_ids })
    world.owners.groups.set('mailed', { ...group, viewers: [supervisor.id] })
    expect(await read(own, supervisor)).toEqual({ refusal: 'owner_without_right' })
  })

  test('by group has the rows of the groups that its recipient may see', async () => {
    const { people } = await createKnownPeople()
    const { director, supervisor, otherSupervisor, trainee1, trainee3 } = people
    const members = [trainee1.id, trainee3.id].sort()
    world.owners.groups.set('rows', { members, viewers: [supervisor.id] })
    const recipient_ids = [supervisor.id, otherSupervisor.id]
    const report = await save(director, { ...all, by: 'group', recipient_ids })
    const rowsOf = async (recipient: { id: string }) => {
      const mail = await read(report, recipient as never)
      if ('refusal' in mail) return mail.refusal
      return mail.csv!.content.split('\r\n').flatMap(line => (line.startsWith('group,') ? [line.split(',')[1]] : []))
    }
    expect(await rowsOf(supervisor)).toEqual(['', 'rows'])
    expect(await rowsOf(otherSupervisor)).toEqual([''])
  })

  test('names its filters, as its recipient may know them', async () => {
    const { people } = await createKnownPeople()
    const { director, supervisor, otherSupervisor, manager, trainee1, trainee3 } = people
    const members = [trainee1.id, trainee3.id].sort()
    world.owners.groups.set('named', { name: 'Warehouse', members, viewers: [director.id, supervisor.id] })
    const filtersOf = async (report: { id: string }, recipient: { id: string }) => {
      const mail = await read(report, recipient)
      return 'refusal' in mail ? mail.refusal : mail.filters
    }
    const recipient_ids = [director.id, supervisor.id, otherSupervisor.id, manager.id]
    const playlist_id = await addTask(trainee1)
    const { title } = world.owners.playlists.get(playlist_id)!
    const ofPlaylist = await save(director, { ...all, playlist_id, recipient_ids, status: 'open' })
    expect(await filtersOf(ofPlaylist, director)).toEqual({ playlist_title: title, status: 'open' })
    expect(await filtersOf(ofPlaylist, supervisor)).toEqual({ playlist_title: title, status: 'open' })
    // None of their people has the playlist.
    expect(await filtersOf(ofPlaylist, otherSupervisor)).toEqual({ playlist_title: null, status: 'open' })
    const ofGroup = await save(director, { ...all, group_id: 'named', recipient_ids })
    expect(await filtersOf(ofGroup, supervisor)).toEqual({ group_name: 'Warehouse' })
    const ofTeam = await save(director, { ...all, supervisor_id: supervisor.id, recipient_ids })
    for (const person of [director, supervisor])
      expect(await filtersOf(ofTeam, person)).toEqual({ supervisor_name: supervisor.name })
    const ofTeams = await save(director, { ...all, manager_id: manager.id, recipient_ids })
    expect(await filtersOf(ofTeams, manager)).toEqual({ manager_name: manager.name })
    expect(await filtersOf(await save(director, all), director)).toEqual({})
  })

  test('asks auth for its people in bulk', async () => {
    const { people } = await createKnownPeople()
    const report = await save(people.manager, all)
    world.owners.requestedPaths.length = 0
    expect(await read(report, people.manager)).toMatchObject({ total: { people: 2 } })
    const asked = world.owners.requestedPaths.filter(path => path.startsWith('/internal/people'))
    // Owner and recipient, the people of the report, and their supervisors.
    expect(asked).toEqual(Array(3).fill('/internal/people-by-id'))
  })

  test('is refused at the moment at which a right is gone, before any event about it', async () => {
    const { people } = await createKnownPeople()
    const { manager, supervisor } = people
    const report = await save(manager, { ...all, recipient_ids: [manager.id, supervisor.id] })
    expect(await read(report, supervisor)).toMatchObject({ total: { people: 2 } })
    expect(await read(report, people.director)).toEqual({ refusal: 'no_recipient' })
    expect(await read({ id: 'nothing' }, manager)).toEqual({ refusal: 'deleted' })
    for (const [person, changes, refusal] of [
      [supervisor, { manager_id: null }, 'recipient_without_right'],
      [supervisor, { manager_id: manager.id, role: 'user' }, 'recipient_without_right'],
      [supervisor, { role: 'supervisor', deactivated_at: iso(world.clock.now()) }, 'recipient_without_right'],
      [manager, { role: 'user' }, 'owner_without_right'],
    ] as const) {
      world.changePerson(person, changes)
      expect([changes, await read(report, supervisor)]).toEqual([changes, { refusal }])
    }
  })

  test('leaves out who has left the team or the teams, before any event about it', async () => {
    const { people } = await createKnownPeople()
    const { director, manager, supervisor, otherSupervisor, trainee1, trainee2 } = people
    const recipient_ids = [manager.id, supervisor.id]
    const report = await save(manager, { ...all, recipient_ids })
    const ofTeam = await save(director, { ...all, supervisor_id: supervisor.id })
    for (const person of [manager, supervisor])
      expect(await read(report, person)).toMatchObject({ total: { people: 2 } })
    const namesIn = async (saved: { id: string }, person: { id: string }) => {
      const mail = await read(saved, person)
      if ('refusal' in mail) throw new Error(mail.refusal)
      return [trainee1, trainee2].filter(({ id }) => mail.csv!.content.includes(id)).map(({ name }) => name)
    }
    world.changePerson(trainee1, { supervisor_id: otherSupervisor.id })
    for (const person of [manager, supervisor]) expect(await namesIn(report, person)).toEqual([trainee2.name])
    expect(await namesIn(ofTeam, director)).toEqual([trainee2.name])
    world.changePerson(supervisor, { manager_id: null })
    expect(await namesIn(report, manager)).toEqual([])
    world.changePerson(trainee2, { role: 'supervisor' })
    expect(await namesIn(ofTeam, director)).toEqual([])
  })

  test('has no file if it would be too large for a mail', async () => {
    const { people } = await createKnownPeople()
    world.changePerson(people.trainee1, { name: 'x'.repeat(limits.reportMailMaxBytes) })
    const report = await save(people.supervisor, all)
    expect(await read(report, people.supervisor)).toMatchObject({ csv: null, total: { people: 2 } })
  })

  test('is for the service that sends it only, and cannot be decided without auth', async () => {
    const { people } = await createKnownPeople()
    const report = await save(people.manager, all)
    const address = `${url}/internal/report-mails/${report.id}/${people.manager.id}`
    const headers = world.credentialsOf('chat').headersFor('engagement')
    expect((await fetch(address)).status).toBe(404)
    expect((await fetch(address, { headers })).status).toBe(403)
    world.owners.unavailable = true
    try {
      await expect(read(report, people.manager)).rejects.toThrow('503')
    } finally {
      world.owners.unavailable = false
    }
  })
})

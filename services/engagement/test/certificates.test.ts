import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { systemClock } from '@watchline/kit/core/clock'
import { makeErasure } from '@watchline/testing/erased-person'
import { eventually } from '@watchline/testing/harness'
import { holdDocument } from '@watchline/testing/held-document'
import { startServiceProcess } from '@watchline/testing/processes'
import { assignTask, dayMs, dueOf, verifyDocument, watchVideo } from './_records.ts'
import {
  callAs,
  collectionOf,
  createEngagementWorld,
  createPeople,
  createTrainee,
  type EngagementWorld,
  iso,
  type PeopleByName,
  service,
} from './_util.ts'

let world: EngagementWorld
let url: string
let people: PeopleByName

beforeAll(async () => {
  world = await createEngagementWorld()
  people = createPeople(world)
  url = (await world.start()).url
})
afterAll(() => world.close())

const newTrainee = () => world.addPerson('user', { supervisor_id: people.supervisor.id })
const assign = (person: PersonSnapshot, durations = [20]) =>
  assignTask(world, [person], { by: people.supervisor, durations })
const watch = (person: PersonSnapshot, playlistId: string, to = 20) =>
  watchVideo(world, url, person, { playlistId, to })
const documents = () => collectionOf(world, 'issued_records')
const facts = () => collectionOf(world, 'task_facts')
const contentOf = (row: { _id: unknown; content?: string }) => JSON.parse(row.content!)
const statusOf = async (code: string) => (await verifyDocument(url, { code })).json.status

/** Asks for the certificate as the person. */
async function ask(person: PersonSnapshot, playlistId: string, at = url) {
  const path = `/records/people/${person.id}/certificates`
  const answer = await callAs(world, at, person).post(path, { playlist_id: playlistId })
  return { status: answer.status, code: answer.json.code as string }
}

/** The certificates of a person, oldest first, when none is due any more. */
function expectCertificates(person: { id: string }, count: number) {
  return eventually(async () => {
    const ofPerson = { person_id: person.id }
    expect(await facts().countDocuments({ ...ofPerson, certificate_due_at: { $exists: true } })).toBe(0)
    const rows = await documents()
      .find({ ...ofPerson, kind: 'certificate' })
      .sort({ _id: 1 })
      .toArray()
    expect(rows).toHaveLength(count)
    return rows
  })
}

async function reset(person: PersonSnapshot, playlistId: string) {
  world.clock.advance(60_000)
  await world.publish('assignment.overridden', {
    ...{ playlist_id: playlistId, title: 'Fire safety', by: people.supervisor.id, changed: [person.id] },
    ...{ action: 'reset', reason: 'Watched by somebody else', changed_at: iso(world.clock.now()) },
  })
  await eventually(async () => expect((await ask(person, playlistId)).status).toBe(409))
}

/** As if the completion had no certificate yet. */
const requestCertificate = (person: PersonSnapshot) =>
  facts().updateOne({ person_id: person.id, kind: 'completed' }, { $set: { certificate_due_at: new Date(1) } })

describe('the completion of a task', () => {
  test('creates its certificate, which everybody gets who asks later, also after more was watched', async () => {
    const person = newTrainee()
    const playlistId = await assign(person, [60])
    await watch(person, playlistId, 55)
    const [row] = await expectCertificates(person, 1)
    const { tasks } = (await callAs(world, url, person).get(`/records/people/${person.id}`)).json
    expect(contentOf(row!)).toMatchObject({ completed_at: tasks[0].completed_at, credited_seconds: 55 })
    expect(await statusOf(row!.code)).toBe('valid')

    await watch(person, playlistId, 60)
    const path = `/records/people/${person.id}/certificates`
    for (const caller of [people.supervisor, people.director, person]) {
      const { json } = await callAs(world, url, caller).post(path, { playlist_id: playlistId })
      expect(json.code).toBe(row!.code)
    }
    await expectCertificates(person, 1)
  })

  test('creates it at once if somebody asks before, and once if several ask together', async () => {
    const person = newTrainee()
    const playlistId = await assign(person)
    expect((await ask(person, playlistId)).status).toBe(409)
    await watch(person, playlistId)
    const answers = await Promise.all([1, 2, 3].map(() => ask(person, playlistId)))
    const [row] = await expectCertificates(person, 1)
    expect(answers.map(({ code }) => code)).toEqual([row!.code, row!.code, row!.code])
  })

  test('creates one for each occurrence, and the next one replaces it', async () => {
    const person = newTrainee()
    const recurrence = { interval: 1, unit: 'week', from: 'due_date', opens_days_before: 2 } as const
    const firstDueAt = world.clock.now() + dayMs
    const playlistId = await assignTask(world, [person], { by: people.supervisor, durations: [20], recurrence })
    await watch(person, playlistId)
    const [first] = await expectCertificates(person, 1)
    const due = dueOf(firstDueAt + 7 * dayMs)
    expect(contentOf(first!).valid_until).toBe(due.at.replace(/:\d\d\.\d+Z/, ':00.000Z'))
    world.clock.advance(60_000)
    await world.publish('assignment.recurred', {
      ...{ playlist_id: playlistId, title: 'Fire safety', people: [person.id], skipped: [] },
      ...{ due: { ...due, at: contentOf(first!).valid_until }, previous_due: dueOf(firstDueAt) },
      recurrence: { ...recurrence, first_due: dueOf(firstDueAt).local },
      recurred_at: iso(world.clock.now()),
    })
    await watch(person, playlistId, 5)
    expect((await ask(person, playlistId)).code).toBe(first!.code)
    await watch(person, playlistId)
    const [, second] = await expectCertificates(person, 2)
    expect(contentOf(second!).completed_at > contentOf(first!).completed_at).toBe(true)
    expect([await statusOf(first!.code), await statusOf(second!.code)]).toEqual(['replaced', 'valid'])
    expect((await ask(person, playlistId)).code).toBe(second!.code)
  })

  test('that is reset keeps its certificate until the next completion replaces it', async () => {
    const person = newTrainee()
    const playlistId = await assign(person)
    await watch(person, playlistId)
    const [first] = await expectCertificates(person, 1)
    await reset(person, playlistId)
    expect(await statusOf(first!.code)).toBe('valid')
    await watch(person, playlistId)
    const [, second] = await expectCertificates(person, 2)
    expect([await statusOf(first!.code), await statusOf(second!.code)]).toEqual(['replaced', 'valid'])
  })

  test('creates none if it was reset before', async () => {
    const person = newTrainee()
    const playlistId = await assign(person)
    await watch(person, playlistId)
    await expectCertificates(person, 1)
    await reset(person, playlistId)
    await documents().deleteMany({ person_id: person.id })
    await requestCertificate(person)
    await expectCertificates(person, 0)
  })

  test('creates none without a task, as of staff who try a playlist', async () => {
    const playlist = world.playlist([20], { created_by: people.supervisor.id })
    await world.publish('playlist.created', playlist)
    await watch(people.supervisor, playlist.playlist_id)
    expect(await facts().countDocuments({ person_id: people.supervisor.id, kind: 'completed' })).toBe(1)
    await expectCertificates(people.supervisor, 0)
    expect((await ask(people.supervisor, playlist.playlist_id)).status).toBe(409)
    await expectCertificates(people.supervisor, 0)
    const { playlists } = (await callAs(world, url, people.supervisor).get('/engagement/record')).json
    expect(playlists).toMatchObject([{ completed: true, never_assigned: true }])
  })

  test('of a task that ended before records has one once somebody asks', async () => {
    const person = newTrainee()
    const playlistId = await assign(person)
    await watch(person, playlistId)
    await expectCertificates(person, 1)
    await documents().deleteMany({ person_id: person.id })
    await facts().deleteMany({ person_id: person.id })
    const row = collectionOf(world, 'assignments')
    await row.updateOne({ _id: `${person.id}:${playlistId}` }, { $set: { assigned: false } })
    world.owners.assignments.delete(`${person.id}:${playlistId}`)
    expect((await ask(person, playlistId)).status).toBe(200)
    await expectCertificates(person, 1)
    const { playlists } = (await callAs(world, url, person).get('/engagement/record')).json
    expect(playlists[0]).not.toHaveProperty('never_assigned')
  })

  test('of an erased person creates none, and an erasure leaves none to create', async () => {
    const person = newTrainee()
    await watch(person, await assign(person))
    await world.publish('user.erased', makeErasure(person))
    await expectCertificates(person, 0)
    expect(JSON.stringify(await documents().find().toArray())).not.toContain(person.name)
    await requestCertificate(person)
    await expectCertificates(person, 0)
  })

  test('of an earlier version has a certificate once somebody asks, and the same from then on', async () => {
    const person = newTrainee()
    const playlistId = await assign(person)
    await watch(person, playlistId)
    await expectCertificates(person, 1)
    await documents().updateMany({ person_id: person.id }, { $unset: { person_id: 1 } })
    const { code } = await ask(person, playlistId)
    // Earlier versions compared fingerprints, which contain the credited seconds.
    await documents().updateOne({ code }, { $set: { fingerprint: 'of an earlier version' } })
    expect((await ask(person, playlistId)).code).toBe(code)
    await expectCertificates(person, 1)
  })

  test('whose certificate fails holds up no other, and is tried again', async () => {
    const [broken, person] = [newTrainee(), newTrainee()]
    await watch(broken, await assign(broken))
    await expectCertificates(broken, 1)
    await documents().deleteMany({ person_id: broken.id })
    const assigned = { person_id: broken.id, kind: 'assigned' }
    const recurrence = { interval: 1, unit: 'week', from: 'due_date', opens_days_before: 2 }
    await facts().updateOne(assigned, {
      $set: { recurrence: { ...recurrence, first_due: 'no date' } },
    })
    await requestCertificate(broken)
    await watch(person, await assign(person))
    await expectCertificates(person, 1)
    const completed = { person_id: broken.id, kind: 'completed' }
    await eventually(async () =>
      expect((await facts().findOne(completed))!.certificate_due_at.getTime()).toBeGreaterThan(world.clock.now()),
    )
    await facts().updateOne(assigned, { $set: { 'recurrence.first_due': '2026-01-01T08:00' } })
    world.clock.advance(61_000)
    await expectCertificates(broken, 1)
  })
})

describe('a completion whose task is not in the history yet', () => {
  const weekly = { interval: 1, unit: 'week', from: 'due_date', opens_days_before: 2 } as const
  const factsOf = (person: PersonSnapshot, kind: string) => facts().countDocuments({ person_id: person.id, kind })
  const addDays = (due: ReturnType<typeof dueOf>, days: number) => {
    const local = iso(Date.parse(`${due.local}Z`) + days * dayMs).slice(0, 16)
    return { at: `${local}:00.000Z`, local, time_zone: 'UTC' }
  }

  /** A weekly task whose second occurrence opens, before its event arrives. */
  async function openOccurrence(completesFirst: boolean) {
    const person = newTrainee()
    const due = dueOf(world.clock.now() + dayMs)
    const recurrence = { ...weekly, first_due: due.local }
    const playlistId = await assignTask(world, [person], {
      ...{ by: people.supervisor, durations: [20], recurrence: weekly },
    })
    if (completesFirst) {
      await watch(person, playlistId)
      await expectCertificates(person, 1)
    }
    world.clock.advance(60_000)
    const resetAt = world.clock.now()
    const publishOpening = () =>
      world.publish('assignment.recurred', {
        ...{ playlist_id: playlistId, title: 'Fire safety', people: [person.id], skipped: [], recurrence },
        ...{ due: addDays(due, 7), previous_due: due, recurred_at: iso(resetAt) },
      })
    world.clock.advance(60_000)
    await watchVideo(world, url, person, { playlistId, to: 20, resetAt })
    expect(await factsOf(person, 'completed')).toBe(completesFirst ? 2 : 1)
    return { person, playlistId, publishOpening, nextDue: addDays(due, 14).at }
  }

  /** No certificate is issued, and its request stays. */
  async function expectWaiting(person: PersonSnapshot, playlistId: string, issued: number) {
    expect((await ask(person, playlistId)).status).toBe(409)
    const ofPerson = { person_id: person.id }
    expect(await documents().countDocuments({ ...ofPerson, kind: 'certificate' })).toBe(issued)
    expect(await facts().countDocuments({ ...ofPerson, certificate_due_at: { $exists: true } })).toBe(1)
  }

  test.each([
    ['after a completion', true],
    ['after a missed one', false],
  ])('of the next occurrence %s waits for the event of the opening', async (_, completesFirst) => {
    const { person, playlistId, publishOpening, nextDue } = await openOccurrence(completesFirst)
    const before = completesFirst ? 1 : 0
    await expectWaiting(person, playlistId, before)
    await publishOpening()
    await eventually(async () => expect(await factsOf(person, 'recurred')).toBe(1))
    expect((await ask(person, playlistId)).status).toBe(200)
    const rows = await expectCertificates(person, before + 1)
    expect(contentOf(rows.at(-1)!).valid_until).toBe(nextDue)
    expect(await Promise.all(rows.map(({ code }) => statusOf(code)))).toEqual(
      completesFirst ? ['replaced', 'valid'] : ['valid'],
    )
  })

  test('gets no other certificate with the seconds of the attempt after it, while the event of the reset waits', async () => {
    const person = newTrainee()
    const playlistId = await assign(person)
    await watch(person, playlistId)
    const [before] = await expectCertificates(person, 1)
    world.clock.advance(60_000)
    const resetAt = world.clock.now()
    world.clock.advance(60_000)
    await watchVideo(world, url, person, { playlistId, to: 5, resetAt })
    expect((await ask(person, playlistId)).status).toBe(409)
    const [after] = await expectCertificates(person, 1)
    expect(contentOf(after!)).toEqual(contentOf(before!))
  })

  test('gets its certificate by the job when the event has arrived', async () => {
    const { person, publishOpening, nextDue } = await openOccurrence(true)
    await publishOpening()
    await eventually(async () => expect(await factsOf(person, 'recurred')).toBe(1))
    world.clock.advance(61_000)
    const [, second] = await expectCertificates(person, 2)
    expect(contentOf(second!).valid_until).toBe(nextDue)
  })

  test('keeps its request while the event is lost, and gets its certificate when it is redriven', async () => {
    const { person, playlistId, publishOpening } = await openOccurrence(true)
    world.clock.advance(4 * dayMs)
    const [first] = await documents().find({ person_id: person.id }).toArray()
    expect((await ask(person, playlistId)).code).toBe(first!.code)
    expect(await facts().countDocuments({ person_id: person.id, certificate_due_at: { $exists: true } })).toBe(1)
    await publishOpening()
    await eventually(async () => expect(await factsOf(person, 'recurred')).toBe(1))
    expect((await ask(person, playlistId)).status).toBe(200)
    await expectCertificates(person, 2)
  })

  test('waits for the event of the assignment, whose terms say when it expires', async () => {
    const person = newTrainee()
    const playlist = world.playlist([20])
    await world.publish('playlist.created', playlist)
    const [playlistId, assigned_date] = [playlist.playlist_id, iso(world.clock.now())]
    world.assign(playlist, person)
    await watch(person, playlistId)
    expect(await factsOf(person, 'completed')).toBe(1)
    await expectWaiting(person, playlistId, 0)
    const due = dueOf(world.clock.now() + dayMs)
    await world.publish('playlist.assigned', {
      ...{ playlist_id: playlistId, title: 'Safety', by: people.supervisor.id, assigned: [person.id], assigned_date },
      ...{ due, recurrence: { ...weekly, first_due: due.local } },
    })
    await eventually(async () => expect(await factsOf(person, 'assigned')).toBe(1))
    expect((await ask(person, playlistId)).status).toBe(200)
    const [row] = await expectCertificates(person, 1)
    expect(contentOf(row!).valid_until).toBe(addDays(due, 7).at)
  })

  test('of a task from before records waits for no event', async () => {
    const person = newTrainee()
    const playlist = world.playlist([20])
    await world.publish('playlist.created', playlist)
    world.assign(playlist, person)
    world.clock.advance(3 * dayMs)
    await watch(person, playlist.playlist_id)
    await expectCertificates(person, 1)
  })
})

test('two replicas at once create one certificate for each completion, in one chain', async () => {
  const other = await world.start({ ports: await world.otherPorts() })
  const numbersBefore = await documents().distinct('_id')
  const trainees = Array.from({ length: 12 }, newTrainee)
  const playlistId = await assignTask(world, trainees, { by: people.supervisor, durations: [20] })
  for (const person of trainees) await watch(person, playlistId)
  const asked = trainees.slice(0, 6)
  await Promise.all(asked.flatMap(person => [url, other.url].map(at => ask(person, playlistId, at))))
  for (const person of trainees) await expectCertificates(person, 1)
  const numbers = (await documents().distinct('_id')).filter(number => !numbersBefore.includes(number))
  const { seq } = (await collectionOf(world, 'record_chain').findOne({}))!
  expect(numbers.map(Number).sort((a, b) => a - b)).toEqual(trainees.map((_, index) => seq - 11 + index))
})

test('completions whose replica is killed before their certificates get them once after its restart', async () => {
  const killed = await createEngagementWorld({ bus: 'rabbitmq', live: 'redis', clock: systemClock })
  const owners = killed.owners.url
  const replica = await startServiceProcess('engagement', killed, { AUTH_URL: owners, PLAYBACK_SESSION_URL: owners })

  async function complete({ person, playlistId }: Awaited<ReturnType<typeof createTrainee>>) {
    const started = Date.now() - 10_000
    const [sid, ttlMs] = [`sid-${person.id}`, 300_000]
    const lock = { personId: person.id, sid, fence: 1, playlistId, ttlMs, takeOver: false, now: started }
    await killed.ports.live.locks.acquire(lock)
    for (const [event_type, watch_time] of [
      ['play', 0],
      ['ended', 2],
    ] as const) {
      const body = { playlist_id: playlistId, video_id: 'v0', event_type, watch_time }
      const client_time = iso(started + watch_time * 1_000)
      const answer = await callAs(killed, replica.url, person, sid).post('/engagement/track', { ...body, client_time })
      expect(answer.status).toBe(200)
    }
  }
  const count = async () => ({
    completed: await collectionOf(killed, 'task_facts').countDocuments({ kind: 'completed' }),
    due: await collectionOf(killed, 'task_facts').countDocuments({ certificate_due_at: { $exists: true } }),
    issued: await collectionOf(killed, 'issued_records').countDocuments({ kind: 'certificate' }),
  })
  try {
    const trainees = await Promise.all(Array.from({ length: 20 }, () => createTrainee(killed, replica.url, [2])))
    for (const { person, playlist } of trainees) {
      const { playlist_id, title } = playlist
      const assigned_date = iso(Date.now())
      await killed.publish('playlist.assigned', {
        playlist_id,
        title,
        by: 'boss',
        assigned: [person.id],
        assigned_date,
      })
    }
    const assigned = { kind: 'assigned' }
    await eventually(async () => expect(await collectionOf(killed, 'task_facts').countDocuments(assigned)).toBe(20))
    await Promise.all(trainees.slice(0, 10).map(complete))
    await eventually(async () => expect((await count()).issued).toBeGreaterThan(0))
    // Every certificate changes the head of the chain of records, so no more are issued.
    const chainHead = await holdDocument(killed.database(service), 'record_chain', 'head')
    await Promise.all(trainees.slice(10).map(complete))
    await replica.kill()
    await chainHead.release()
    const atKill = await count()
    expect(atKill.issued).toBeGreaterThan(0)
    expect(atKill.due).toBeGreaterThanOrEqual(10)
    expect(atKill).toEqual({ completed: 20, due: 20 - atKill.issued, issued: atKill.issued })
    await replica.start()
    await eventually(async () => expect(await count()).toEqual({ completed: 20, due: 0, issued: 20 }))
    const owned = await collectionOf(killed, 'issued_records').distinct('person_id')
    expect(owned).toHaveLength(20)
  } finally {
    await replica.stop()
    await killed.close()
  }
})

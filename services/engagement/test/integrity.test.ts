import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type EventData, events } from '@watchline/contracts/events'
import { limits } from '@watchline/contracts/limits'
import { eventually } from '@watchline/testing/harness'
import { type RecordedCommand, recordCommands } from '@watchline/testing/mongo-commands'
import { callAs, collectionOf, createEngagementWorld, createTrainee, type EngagementWorld } from './_util.ts'

type Noted = EventData<'integrity.noted'>

let world: EngagementWorld
let url: string
/** The base URL of a second replica. */
let secondUrl: string
/** Commands of requests to the first replica. */
const commands: string[] = []
beforeAll(async () => {
  world = await createEngagementWorld()
  const recordCommand = ({ name }: RecordedCommand) => commands.push(name)
  const start = (mongoUrl: string) => world.start({ config: { mongoUrl } })
  url = (await recordCommands(world.config.mongoUrl, recordCommand, start)).url
  secondUrl = (await world.start()).url
})
afterAll(() => world.close())

const notesFor = (personId: string): Noted[] =>
  world
    .of('integrity.noted')
    .filter(event => event.person_id === personId)
    .map(event => events['integrity.noted'].data.parse(event))
const countTimes = (events: readonly Noted[]) =>
  events.flatMap(event => event.notes).reduce((sum, { times }) => sum + times, 0)

/** A watching trainee. `reportJump` reports seconds that cannot have been played: one note. */
async function createJumpingTrainee(durations = [36_000]) {
  const trainee = await createTrainee(world, url, durations)
  await trainee.lock.acquire()
  let sent = 0
  const report = (position: number, { at = url, video = 'v0' } = {}) => {
    sent += 1
    return trainee.track(
      { event_type: sent === 1 ? 'play' : 'playing', video_id: video, watch_time: position, event_id: randomUUID() },
      callAs(world, at, trainee.person),
    )
  }
  let position = 0
  const reportJump = (replicaUrl = url) => {
    position += 600
    return report(position, { at: replicaUrl })
  }
  await report(0)
  return { ...trainee, report, reportJump, reportAgain: () => report(position) }
}

describe('integrity.noted', () => {
  test('publishes a note at once with titles, then sums notes up to one event a minute', async () => {
    const { person, playlistId, playlist, reportJump, reportAgain } = await createJumpingTrainee()
    expect((await reportJump()).status).toBe(200)
    await eventually(() =>
      expect(notesFor(person.id)).toEqual([
        {
          person_id: person.id,
          playlist_id: playlistId,
          video_id: 'v0',
          notes: [{ code: 'skipped', times: 1 }],
          playlist_title: playlist.title,
          video_title: 'Video 0',
        },
      ]),
    )
    world.clock.advance(1_000)
    for (let time = 0; time < 3; time += 1) await reportJump()
    expect(await collectionOf(world, 'outbox').countDocuments({ 'event.data.person_id': person.id })).toBe(1)
    world.clock.advance(limits.integrityNoteMs)
    // Any later report publishes the waiting notes, also one without a note.
    await reportAgain()
    await eventually(() => expect(notesFor(person.id)).toHaveLength(2))
    expect(notesFor(person.id)[1]!.notes).toEqual([{ code: 'skipped', times: 3 }])
    // Replicas of earlier versions read the stored name.
    const stored = await collectionOf(world, 'watchers').findOne({ _id: person.id })
    expect(Object.values(stored!.videos)).toMatchObject([{ told: { times: { skipped: 4 } } }])
    world.clock.advance(limits.integrityNoteMs)
    await reportAgain()
    expect(await collectionOf(world, 'outbox').countDocuments({ 'event.data.person_id': person.id })).toBe(2)
  })

  test('waiting notes are published by a report of another video, and when the session ends', async () => {
    const { person, report, reportJump, lock } = await createJumpingTrainee([36_000, 36_000])
    await reportJump()
    await reportJump()
    world.clock.advance(limits.integrityNoteMs)
    await report(0, { video: 'v1' })
    await eventually(() => expect(notesFor(person.id).map(event => event.video_id)).toEqual(['v0', 'v0']))
    await reportJump()
    await reportJump()
    world.clock.advance(limits.integrityNoteMs)
    await lock.release()
    await eventually(() => expect(countTimes(notesFor(person.id))).toBe(4))
  })

  test('the published notes of ten trainees on two replicas add up to their stored notes', async () => {
    const trainees = await Promise.all(Array.from({ length: 10 }, () => createJumpingTrainee()))
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(
        trainees.flatMap(trainee => [
          trainee.reportJump(url),
          trainee.reportJump(secondUrl),
          trainee.reportJump(url),
          trainee.reportJump(secondUrl),
        ]),
      )
      world.clock.advance(limits.integrityNoteMs / 2)
    }
    world.clock.advance(limits.integrityNoteMs)
    await Promise.all(trainees.map(trainee => trainee.reportAgain()))
    for (const { person, watched } of trainees) {
      const notes = (await watched()).notes as { code: string; times: number }[]
      const total = notes.reduce((sum, note) => sum + note.times, 0)
      expect(total).toBeGreaterThan(0)
      await eventually(() => expect(countTimes(notesFor(person.id))).toBe(total))
      expect(notesFor(person.id).length).toBeLessThanOrEqual(4)
      expect(await collectionOf(world, 'watchers').findOne({ _id: person.id })).toMatchObject({ untold: [] })
    }
  })

  test('a crash in the transaction undoes marks and event, and the repeated report publishes the note once', async () => {
    const { person, reportJump, track } = await createJumpingTrainee()
    await reportJump()
    await eventually(() => expect(notesFor(person.id)).toHaveLength(1))
    world.clock.advance(limits.integrityNoteMs)
    // MongoDB rejects the event of this transaction, which undoes all of it, the notes included.
    const database = world.database('engagement')
    await database.command({
      collMod: 'outbox',
      validator: { 'event.type': { $ne: 'integrity.noted' } },
      validationLevel: 'strict',
    })
    const report = { event_type: 'playing', watch_time: 9_000, event_id: randomUUID() }
    expect((await track(report)).status).toBe(500)
    const stored = await collectionOf(world, 'watchers').findOne({ _id: person.id })
    expect(stored!.seen).not.toContain(report.event_id)
    await database.command({ collMod: 'outbox', validator: {} })
    expect((await track(report)).status).toBe(200)
    expect((await track(report)).status).toBe(200)
    await eventually(() => expect(countTimes(notesFor(person.id))).toBe(2))
    expect(await collectionOf(world, 'outbox').countDocuments({ 'event.data.person_id': person.id })).toBe(2)
  })

  test('reports without notes cost one read and one write', async () => {
    const { reportAgain, reportJump } = await createJumpingTrainee()
    await reportJump()
    await eventually(async () => expect(await collectionOf(world, 'outbox').countDocuments({ pending: true })).toBe(0))
    await eventually(async () => {
      commands.length = 0
      expect((await reportJump()).status).toBe(200)
      expect((await reportAgain()).status).toBe(200)
      const own = commands.filter(name => name !== 'insert')
      expect(own).toEqual(['find', 'update', 'find', 'update'])
    })
  })
})

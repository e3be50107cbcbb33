import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { AssignmentSnapshot } from '@watchline/contracts/snapshots'
import { projectionsOf, type Rebuild, requestRebuild } from '@watchline/kit/messaging/projection-rebuild'
import { createDatabase, openDatabase } from '@watchline/kit/mongo/database'
import { eventually } from '@watchline/testing/harness'
import type { Connection } from 'mongoose'
import {
  callAs,
  collectionOf,
  createEngagementWorld,
  createTrainee,
  type EngagementWorld,
  iso,
  play,
  service,
} from './_util.ts'

let world: EngagementWorld
let url: string
let database: Connection
beforeAll(async () => {
  world = await createEngagementWorld()
  url = (await world.start()).url
  database = createDatabase()
  await openDatabase(database, world.config.mongoUrl, `${world.config.databasePrefix}-${service}`)
})
afterAll(async () => {
  await database.close()
  await world.close()
})

async function rebuild(name: string): Promise<Rebuild> {
  expect(await requestRebuild(database, name, new Date())).toBe(true)
  return eventually(async () => {
    const projection = (await projectionsOf(database)).find(entry => entry._id === name)
    expect(projection?.rebuild).toMatchObject({ state: 'done' })
    return projection!.rebuild!
  })
}

const findPlaylist = (id: string) => collectionOf(world, 'playlists').findOne({ _id: id })
const findAssignment = (person: string, playlist: string) =>
  collectionOf(world, 'assignments').findOne({ _id: `${person}:${playlist}` })

describe('rebuilding playlists from their owner', () => {
  test('adds and corrects playlists, marks missing ones as deleted and keeps their titles', async () => {
    const [intact, wrong, undeleted, missing] = [1, 2, 3, 4].map(() => world.playlist([10, 20]))
    const deletedByOwner = world.playlist([10], { title: 'Deleted without an event' })
    for (const playlist of [intact, wrong, undeleted, deletedByOwner])
      await world.publish('playlist.created', playlist!)
    await collectionOf(world, 'playlists').updateOne(
      { _id: wrong!.playlist_id },
      { $set: { title: 'Wrong', revision: 77 } },
    )
    await collectionOf(world, 'playlists').updateOne(
      { _id: undeleted!.playlist_id },
      { $set: { deleted_at: new Date() } },
    )
    world.owners.playlists.delete(deletedByOwner.playlist_id)

    expect(await rebuild('playlists')).toMatchObject({ checked: 4, added: 1, put_right: 2, removed: 1 })
    expect(await findPlaylist(missing!.playlist_id)).toMatchObject({ title: missing!.title })
    expect(await findPlaylist(wrong!.playlist_id)).toMatchObject({ title: wrong!.title, revision: 1 })
    expect(await findPlaylist(undeleted!.playlist_id)).not.toHaveProperty('deleted_at')
    expect(await findPlaylist(deletedByOwner.playlist_id)).toMatchObject({
      title: 'Deleted without an event',
      deleted_at: expect.any(Date),
    })
    expect(await rebuild('playlists')).toMatchObject({ checked: 4, added: 0, put_right: 0, removed: 0 })
  })

  test('recalculates completions after a change without an event', async () => {
    const trainee = await createTrainee(world, url, [20, 500])
    await trainee.lock.acquire()
    await play(world, trainee.send, trainee.playlistId, { to: 20 }, trainee.lock.renew)
    await trainee.lock.release()
    await rebuild('assignments')
    expect(world.of('playlist.completed').filter(event => event.person_id === trainee.person.id)).toEqual([])
    const [first] = trainee.playlist.videos
    world.owners.playlists.set(trainee.playlistId, { ...trainee.playlist, videos: [first!], revision: 2 })
    await rebuild('playlists')
    await eventually(() =>
      expect(world.of('playlist.completed').filter(event => event.person_id === trainee.person.id)).toHaveLength(1),
    )
  })
})

describe('rebuilding assignments from their owner', () => {
  test('copies the owner regardless of stored dates; later events still apply', async () => {
    const playlist = world.playlist([10])
    await world.publish('playlist.created', playlist)
    const [correct, missing, wronglyAssigned, wronglyUnassigned] = [1, 2, 3, 4].map(() => world.addPerson())
    const assignedDate = iso(world.clock.now())
    const data = { playlist_id: playlist.playlist_id, title: playlist.title, by: 'boss', assigned_date: assignedDate }
    await world.publish('playlist.assigned', {
      ...data,
      assigned: [correct!.id, wronglyAssigned!.id, wronglyUnassigned!.id],
    })
    world.assign(playlist, correct!, missing!, wronglyUnassigned!)
    const future = new Date(world.clock.now() + 1e9)
    await collectionOf(world, 'assignments').updateOne(
      { _id: `${wronglyUnassigned!.id}:${playlist.playlist_id}` },
      { $set: { assigned: false, at: future } },
    )
    const counts = await rebuild('assignments')
    expect(counts).toMatchObject({ added: 1, put_right: 1, removed: 1 })
    const isAssigned = async (id: string) => (await findAssignment(id, playlist.playlist_id))?.assigned
    expect(
      await Promise.all([correct, missing, wronglyAssigned, wronglyUnassigned].map(person => isAssigned(person!.id))),
    ).toEqual([true, true, false, true])
    const fetchWatched = (id: string) => callAs(world, url, { id }).get(`/engagement/watched/${playlist.playlist_id}`)
    await eventually(async () => expect((await fetchWatched(wronglyUnassigned!.id)).status).toBe(200))

    await world.publish('playlist.assigned', { ...data, assigned: [wronglyAssigned!.id] })
    await eventually(async () => expect(await isAssigned(wronglyAssigned!.id)).toBe(true))
  })

  test('copies the change of a due date that a replica of an earlier version did not store, and keeps one that its owner lacks', async () => {
    const playlist = world.playlist([10])
    await world.publish('playlist.created', playlist)
    const [lacking, known] = [1, 2].map(() => world.addPerson())
    world.assign(playlist, lacking!, known!)
    const { playlist_id } = playlist
    await rebuild('assignments')
    const setAt = new Date(world.clock.now() + 60_000)
    const at = iso(world.clock.now() + 3_600_000)
    const changed = { at, changed_at: setAt.toISOString() }
    const setOwnersDue = (person: { id: string }, due: AssignmentSnapshot['due']) => {
      const key = `${person.id}:${playlist_id}`
      world.owners.assignments.set(key, { ...world.owners.assignments.get(key)!, due })
    }
    setOwnersDue(lacking!, changed)
    setOwnersDue(known!, { ...changed, set_at: setAt.toISOString() })
    await rebuild('assignments')
    setOwnersDue(lacking!, { ...changed, set_at: setAt.toISOString() })
    setOwnersDue(known!, changed)
    expect(await rebuild('assignments')).toMatchObject({ added: 0, put_right: 1, removed: 0 })
    for (const { id } of [lacking!, known!])
      expect(await findAssignment(id, playlist_id)).toMatchObject({ due_set_at: setAt })
    expect(await rebuild('assignments')).toMatchObject({ added: 0, put_right: 0, removed: 0 })

    const _id = `${known!.id}:${playlist_id}`
    await collectionOf(world, 'assignments').updateOne({ _id }, { $set: { assigned: false } })
    await eventually(async () => {
      expect((await callAs(world, url, known!).get(`/engagement/watched/${playlist_id}`)).status).toBe(200)
      expect(await findAssignment(known!.id, playlist_id)).toMatchObject({ assigned: true, due_set_at: setAt })
    })
  })
})

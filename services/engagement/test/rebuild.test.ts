import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { projectionsOf, type Rebuild, requestRebuild } from '@watchline/kit/messaging/projection-rebuild'
import { createDatabase, openDatabase } from '@watchline/kit/mongo/database'
import { eventually } from '@watchline/testing/harness'
import type { Connection } from 'mongoose'
import { as, aTrainee, createEngagementWorld, type EngagementWorld, iso, play, rows, service } from './_util.ts'

let world: EngagementWorld
let url: string
let database: Connection
beforeAll(async () => {
  world = await createEngagementWorld()
  url = (await world.start()).url
  database = createDatabase()
  await openDatabase(database, world.config.mongoUrl, `${world.name}-${service}`)
})
afterAll(async () => {
  await database.close()
  await world.close()
})

async function rebuild(name: string): Promise<Rebuild> {
  expect(await requestRebuild(database, name, new Date())).toBe(true)
  return eventually(async () => {
    const found = (await projectionsOf(database)).find(each => each._id === name)
    expect(found?.rebuild).toMatchObject({ state: 'done' })
    return found!.rebuild!
  }, 20_000)
}

const playlistRow = (id: string) => rows(world, 'playlists').findOne({ _id: id })
const assignmentRow = (person: string, playlist: string) =>
  rows(world, 'assignments').findOne({ _id: `${person}:${playlist}` })

describe('rebuilding playlists from their owner', () => {
  test('adds, corrects and marks as deleted; watched playlists keep their titles', async () => {
    const [kept, wrong, undeleted, missing] = [1, 2, 3, 4].map(() => world.playlist([10, 20]))
    const gone = world.playlist([10], { title: 'Gone without a word' })
    for (const each of [kept, wrong, undeleted, gone]) await world.publish('playlist.created', each!)
    await rows(world, 'playlists').updateOne({ _id: wrong!.playlist_id }, { $set: { title: 'Wrong', revision: 77 } })
    await rows(world, 'playlists').updateOne({ _id: undeleted!.playlist_id }, { $set: { deleted_at: new Date() } })
    world.owners.playlists.delete(gone.playlist_id)

    expect(await rebuild('playlists')).toMatchObject({ checked: 4, added: 1, put_right: 2, removed: 1 })
    expect(await playlistRow(missing!.playlist_id)).toMatchObject({ title: missing!.title })
    expect(await playlistRow(wrong!.playlist_id)).toMatchObject({ title: wrong!.title, revision: 1 })
    expect(await playlistRow(undeleted!.playlist_id)).not.toHaveProperty('deleted_at')
    expect(await playlistRow(gone.playlist_id)).toMatchObject({
      title: 'Gone without a word',
      deleted_at: expect.any(Date),
    })
    expect(await rebuild('playlists')).toMatchObject({ checked: 4, added: 0, put_right: 0, removed: 0 })
  })

  test('recalculates completions after a change without an event', async () => {
    const trainee = await aTrainee(world, url, [20, 500])
    await trainee.lock.take()
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
  test('follows the owner whatever the stored dates are; later events win', async () => {
    const playlist = world.playlist([10])
    await world.publish('playlist.created', playlist)
    const [has, lacks, wrongly, taken] = [1, 2, 3, 4].map(() => world.person())
    const at = iso(world.clock.now())
    const data = { playlist_id: playlist.playlist_id, title: playlist.title, by: 'boss', assigned_date: at }
    await world.publish('playlist.assigned', { ...data, assigned: [has!.id, wrongly!.id, taken!.id] })
    world.assign(playlist, has!, lacks!, taken!)
    const future = new Date(world.clock.now() + 1e9)
    await rows(world, 'assignments').updateOne(
      { _id: `${taken!.id}:${playlist.playlist_id}` },
      { $set: { assigned: false, at: future } },
    )
    const counts = await rebuild('assignments')
    expect(counts).toMatchObject({ added: 1, put_right: 1, removed: 1 })
    const assigned = async (id: string) => (await assignmentRow(id, playlist.playlist_id))?.assigned
    expect(await Promise.all([has, lacks, wrongly, taken].map(each => assigned(each!.id)))).toEqual([
      true,
      true,
      false,
      true,
    ])
    const open = (id: string) => as(world, url, { id }).get(`/engagement/watched/${playlist.playlist_id}`)
    await eventually(async () => expect((await open(taken!.id)).status).toBe(200))

    await world.publish('playlist.assigned', { ...data, assigned: [wrongly!.id] })
    await eventually(async () => expect(await assigned(wrongly!.id)).toBe(true))
  })
})

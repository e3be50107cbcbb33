import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { systemClock } from '@watchline/kit/core/clock'
import { eventually } from '@watchline/testing/harness'
import { holdDocument } from '@watchline/testing/held-document'
import { type ServiceProcess, startServiceProcess } from '@watchline/testing/processes'
import {
  callAs,
  collectionOf,
  createPlaybackWorld,
  createPlaylist,
  mediaSecrets,
  type PlaybackWorld,
  service,
} from './_util.ts'

const memberCount = 1_600
const group_id = 'everybody'

let world: PlaybackWorld
let replicas: ServiceProcess[]
let memberIds: string[]
beforeAll(async () => {
  world = await createPlaybackWorld({ bus: 'rabbitmq', live: 'redis', clock: systemClock })
  // The replicas fill their projection of people at their start.
  memberIds = Array.from({ length: memberCount }, () => world.addPerson('user').id).sort()
  const env = { AUTH_URL: world.authUrl, MEDIA_SECRET: mediaSecrets[0] }
  replicas = [
    await startServiceProcess('playback-session', world, env),
    await startServiceProcess('playback-session', world, env),
  ]
  await collectionOf(world, 'groups').insertOne({
    ...{ _id: group_id, name: 'Everybody', name_key: 'everybody', assigners: [], revision: 1 },
    ...{ size: memberCount, event_count: 1 },
  })
  await collectionOf(world, 'group_members').insertMany(
    memberIds.map(person_id => ({
      _id: `${group_id}:${person_id}`,
      group_id,
      person_id,
      is_member: true,
      revision: 2,
    })),
  )
})
afterAll(async () => {
  for (const replica of replicas) await replica.stop()
  await world.close()
})

test('every member gets and loses the task once although replicas are killed in the middle of the update', async () => {
  const [first, second] = replicas as [ServiceProcess, ServiceProcess]
  const director = world.addPerson('director')
  const caller = () => callAs(world, first.url, director)
  const playlist = await createPlaylist(caller())
  const path = `/playlists/${playlist.id}/groups/${group_id}`
  const key = `${playlist.id}:${group_id}`
  const findUpdate = async () => (await collectionOf(world, 'group_assignments').findOne({ _id: key }))?.update
  const holderCount = () => collectionOf(world, 'assignments').countDocuments({ playlist_id: playlist.id })
  /** The update stops at the page of this member until the release. A page has 200 members. */
  const holdTask = (member: number) =>
    holdDocument(world.database(service), 'assignments', `${memberIds[member]}:${playlist.id}`)
  /** Kills a replica when the update has come this far, to the page of a held task. */
  async function killAfter(replica: ServiceProcess, done: number) {
    await eventually(async () => expect(await findUpdate()).toMatchObject({ done, total: memberCount }))
    await replica.kill()
  }
  const publishedPeople = async (type: string, field: string) => {
    const rows = await collectionOf(world, 'outbox')
      .find({ 'event.type': type, 'event.data.playlist_id': playlist.id })
      .toArray()
    return rows.flatMap(row => row.event.data[field]).sort()
  }

  const secondPage = await holdTask(300)
  expect((await caller().put(path, {})).status).toBe(200)
  await killAfter(first, 200)
  const fourthPage = await holdTask(700)
  await secondPage.release()
  await killAfter(second, 600)
  await fourthPage.release()
  await Promise.all(replicas.map(replica => replica.start()))
  await eventually(async () => expect(await findUpdate()).toBeNull())
  expect(await holderCount()).toBe(memberCount)
  expect(await publishedPeople('playlist.assigned', 'assigned')).toEqual(memberIds)

  const removedPage = await holdTask(300)
  expect((await caller().delete(path)).status).toBe(200)
  await killAfter(second, 200)
  await removedPage.release()
  await eventually(async () => expect(await findUpdate()).toBeUndefined())
  await second.start()
  expect(await holderCount()).toBe(0)
  expect(await publishedPeople('playlist.unassigned', 'unassigned')).toEqual(memberIds)
})

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import type { PlaylistSnapshot } from '@watchline/contracts/snapshots'
import { apiClient, eventually } from '@watchline/testing/harness'
import { type RecordedCommand, recordCommands, recordLiveStoreCalls } from '@watchline/testing/mongo-commands'
import { as, createEngagementWorld, type EngagementWorld, iso } from './_util.ts'

let world: EngagementWorld
let url: string
/** Commands of the service's own connection; change streams and the outbox's relay, which nobody calls, are left out. */
const commands: string[] = []
/** Looks at versions in the live store, each one round trip. */
const trips: string[] = []
let supervisor: PersonSnapshot
let trainee: PersonSnapshot
let playlist: PlaylistSnapshot

beforeAll(async () => {
  world = await createEngagementWorld({ live: 'redis' })
  supervisor = world.person('supervisor')
  trainee = world.person('user', { supervisor_id: supervisor.id })
  playlist = world.playlist([100, 100])
  world.assign(playlist, trainee)
  const note = ({ name, collection }: RecordedCommand) => collection !== 'outbox' && commands.push(name)
  const live = recordLiveStoreCalls(world.ports.live, call => call === 'versions.get' && trips.push(call))
  const start = (mongoUrl: string) => world.start({ config: { mongoUrl }, ports: { live } })
  url = (await recordCommands(world.config.mongoUrl, note, start)).url
})
afterAll(() => world.close())

const path = (videoId = 'v0') => `/comments/${playlist.playlist_id}/${videoId}`
const poll = (person: PersonSnapshot, tag?: string, at = path()) =>
  apiClient(url, world.token(person)).get(at, tag === undefined ? {} : { 'if-none-match': tag })
const say = (person: PersonSnapshot, comment: string, videoId = 'v0') =>
  as(world, url, person).post('/comments', {
    playlist_id: playlist.playlist_id,
    video_id: videoId,
    timestamp: 1,
    comment,
  })
async function tagOf(person: PersonSnapshot): Promise<string> {
  return eventually(async () => {
    const answer = await poll(person)
    expect(answer.status).toBe(200)
    const tag = answer.headers.get('etag')!
    expect((await poll(person, tag)).status).toBe(304)
    return tag
  })
}

describe('polling comments', () => {
  test('unchanged: 304, no body, not one MongoDB command and one round trip to the live store', async () => {
    await say(trainee, 'First')
    for (const person of [trainee, supervisor]) {
      const tag = await tagOf(person)
      commands.length = 0
      trips.length = 0
      for (let time = 0; time < 3; time += 1) {
        const answer = await poll(person, tag)
        expect([answer.status, answer.text]).toEqual([304, ''])
      }
      expect(commands).toEqual([])
      expect(trips).toEqual(['versions.get', 'versions.get', 'versions.get'])
    }
  })

  test('a new comment is there for the next who asks, and only on that video', async () => {
    const tag = await tagOf(supervisor)
    await say(trainee, 'On the other', 'v1')
    expect((await poll(supervisor, tag)).status).toBe(304)
    await say(trainee, 'Second')
    const answer = await poll(supervisor, tag)
    expect([answer.status, answer.json.map((each: { comment: string }) => each.comment)]).toEqual([
      200,
      ['First', 'Second'],
    ])
  })

  test('a changed name and a moved team are seen', async () => {
    const tag = await tagOf(supervisor)
    const renamed = { ...trainee, name: 'Renamed', version: 2 }
    await world.publish('user.profile_changed', { person: renamed, by: null })
    await eventually(async () => {
      const { status, json } = await poll(supervisor, tag)
      expect([status, json?.[0]?.user_name]).toEqual([200, 'Renamed'])
    })
    const before = await tagOf(supervisor)
    const colleague = world.person('user', { supervisor_id: supervisor.id })
    await world.publish('user.created', { person: colleague, by: null })
    await eventually(async () => expect((await poll(supervisor, before)).status).toBe(200))
  })

  test('who may not see the playlist any more is told so, tag or not', async () => {
    const { playlist_id } = playlist
    const other = world.person('user')
    await world.publish('playlist.assigned', {
      playlist_id,
      title: playlist.title,
      by: supervisor.id,
      assigned: [other.id],
      assigned_date: iso(world.clock.now()),
    })
    await eventually(async () => expect((await poll(other)).status).toBe(200))
    const tag = await tagOf(other)
    world.clock.advance(1_000)
    await world.publish('playlist.unassigned', {
      playlist_id,
      by: supervisor.id,
      unassigned: [other.id],
      unassigned_date: iso(world.clock.now()),
    })
    await eventually(async () => expect((await poll(other, tag)).status).toBe(404))

    const own = await tagOf(trainee)
    const videos = playlist.videos.slice(1)
    world.owners.playlists.set(playlist_id, { ...playlist, videos, revision: 2 })
    await world.publish('playlist.changed', { ...playlist, videos, revision: 2 })
    await eventually(async () => expect((await poll(trainee, own)).status).toBe(404))
  })

  test('nobody gets what somebody else’s tag stands for', async () => {
    const at = path('v1')
    const tag = (await poll(trainee, undefined, at)).headers.get('etag')!
    expect((await poll(trainee, tag, at)).status).toBe(304)
    expect((await poll(supervisor, tag, at)).status).toBe(200)
    expect((await poll(trainee, tag, `${at}?limit=5`)).status).toBe(200)
  })
})

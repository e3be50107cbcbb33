import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import type { PlaylistSnapshot } from '@watchline/contracts/snapshots'
import { apiClient } from '@watchline/testing/api-client'
import { eventually } from '@watchline/testing/harness'
import { type RecordedCommand, recordCommands, recordLiveStoreCalls } from '@watchline/testing/mongo-commands'
import { callAs, createEngagementWorld, type EngagementWorld, iso } from './_util.ts'

let world: EngagementWorld
let url: string
/** Commands of requests, without those of the outbox relay. */
const commands: string[] = []
/** Reads of versions in the live store, each one round trip. */
const versionReads: string[] = []
let supervisor: PersonSnapshot
let trainee: PersonSnapshot
let playlist: PlaylistSnapshot

beforeAll(async () => {
  world = await createEngagementWorld({ live: 'redis' })
  supervisor = world.addPerson('supervisor')
  trainee = world.addPerson('user', { supervisor_id: supervisor.id })
  playlist = world.playlist([100, 100])
  world.assign(playlist, trainee)
  const recordCommand = ({ name, collection }: RecordedCommand) => collection !== 'outbox' && commands.push(name)
  const live = recordLiveStoreCalls(world.ports.live, call => call === 'versions.get' && versionReads.push(call))
  const start = (mongoUrl: string) => world.start({ config: { mongoUrl }, ports: { live } })
  url = (await recordCommands(world.config.mongoUrl, recordCommand, start)).url
})
afterAll(() => world.close())

const path = (videoId = 'v0') => `/comments/${playlist.playlist_id}/${videoId}`
const poll = (person: PersonSnapshot, etag?: string, commentsPath = path()) =>
  apiClient(url, world.token(person)).get(commentsPath, etag === undefined ? {} : { 'if-none-match': etag })
const postComment = (person: PersonSnapshot, comment: string, videoId = 'v0') =>
  callAs(world, url, person).post('/comments', {
    playlist_id: playlist.playlist_id,
    video_id: videoId,
    timestamp: 1,
    comment,
  })
async function fetchEtag(person: PersonSnapshot): Promise<string> {
  return eventually(async () => {
    const answer = await poll(person)
    expect(answer.status).toBe(200)
    const etag = answer.headers.get('etag')!
    expect((await poll(person, etag)).status).toBe(304)
    return etag
  })
}

test.each(['', '?user_ids=', '?sort=completion&order=desc'])('a team%s reads its members once', async query => {
  const ids = query.endsWith('=') ? trainee.id : ''
  const fetchTeam = () => callAs(world, url, supervisor).get(`/engagement/team${query}${ids}`)
  expect((await fetchTeam()).json.members).toHaveLength(1)
  commands.length = 0
  expect((await fetchTeam()).status).toBe(200)
  // One command reads the watching, the other one the assignments.
  expect(commands).toHaveLength(2)
})

describe('polling comments', () => {
  test('an unchanged poll answers 304 with one live store round trip and no MongoDB command', async () => {
    await postComment(trainee, 'First')
    for (const person of [trainee, supervisor]) {
      const etag = await fetchEtag(person)
      commands.length = 0
      versionReads.length = 0
      for (let count = 0; count < 3; count += 1) {
        const answer = await poll(person, etag)
        expect([answer.status, answer.text]).toEqual([304, ''])
      }
      expect(commands).toEqual([])
      expect(versionReads).toEqual(['versions.get', 'versions.get', 'versions.get'])
    }
  })

  test('the next poll of its video shows a new comment', async () => {
    const etag = await fetchEtag(supervisor)
    await postComment(trainee, 'On the other', 'v1')
    expect((await poll(supervisor, etag)).status).toBe(304)
    await postComment(trainee, 'Second')
    const answer = await poll(supervisor, etag)
    expect([answer.status, answer.json.map(({ comment }: { comment: string }) => comment)]).toEqual([
      200,
      ['First', 'Second'],
    ])
  })

  test('a poll shows a changed name and a changed team', async () => {
    const etag = await fetchEtag(supervisor)
    const renamed = { ...trainee, name: 'Renamed', version: 2 }
    await world.publish('user.profile_changed', { person: renamed, by: null })
    await eventually(async () => {
      const { status, json } = await poll(supervisor, etag)
      expect([status, json?.[0]?.user_name]).toEqual([200, 'Renamed'])
    })
    const before = await fetchEtag(supervisor)
    const colleague = world.addPerson('user', { supervisor_id: supervisor.id })
    await world.publish('user.created', { person: colleague, by: null })
    await eventually(async () => expect((await poll(supervisor, before)).status).toBe(200))
  })

  test('a person who loses the playlist gets 404, also for a poll with an ETag', async () => {
    const { playlist_id } = playlist
    const newTrainee = world.addPerson('user')
    await world.publish('playlist.assigned', {
      playlist_id,
      title: playlist.title,
      by: supervisor.id,
      assigned: [newTrainee.id],
      assigned_date: iso(world.clock.now()),
    })
    await eventually(async () => expect((await poll(newTrainee)).status).toBe(200))
    const etag = await fetchEtag(newTrainee)
    world.clock.advance(1_000)
    await world.publish('playlist.unassigned', {
      playlist_id,
      by: supervisor.id,
      unassigned: [newTrainee.id],
      unassigned_date: iso(world.clock.now()),
    })
    await eventually(async () => expect((await poll(newTrainee, etag)).status).toBe(404))

    const traineeEtag = await fetchEtag(trainee)
    const videos = playlist.videos.slice(1)
    world.owners.playlists.set(playlist_id, { ...playlist, videos, revision: 2 })
    await world.publish('playlist.changed', { ...playlist, videos, revision: 2 })
    await eventually(async () => expect((await poll(trainee, traineeEtag)).status).toBe(404))
  })

  test('an ETag of another person or page never answers 304', async () => {
    const otherPath = path('v1')
    const etag = (await poll(trainee, undefined, otherPath)).headers.get('etag')!
    expect((await poll(trainee, etag, otherPath)).status).toBe(304)
    expect((await poll(supervisor, etag, otherPath)).status).toBe(200)
    expect((await poll(trainee, etag, `${otherPath}?limit=5`)).status).toBe(200)
  })
})

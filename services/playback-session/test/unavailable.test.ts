import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { events } from '@watchline/contracts/events'
import { limits } from '@watchline/contracts/limits'
import type { PersonSnapshot } from '@watchline/contracts/people'
import type { Video } from '@watchline/contracts/playlists'
import { apiClient } from '@watchline/testing/api-client'
import { makeErasure } from '@watchline/testing/erased-person'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { startYouTubeStandIn, type YouTubeStandIn } from '../../../tools/src/youtube/stand-in.ts'
import {
  assignPlaylist,
  callAs,
  collectionOf,
  createPlaybackWorld,
  createTeamWithPlaylist,
  type PlaybackWorld,
  videos,
} from './_util.ts'

const clock = createManualClock()
let world: PlaybackWorld
let youtube: YouTubeStandIn
let url: string
/** The base URL of a second replica. */
let secondUrl: string
/** The base URL of a replica with a YouTube key. */
let keyedUrl: string
let createdCount = 0
beforeAll(async () => {
  youtube = await startYouTubeStandIn()
  world = await createPlaybackWorld({ clock })
  url = (await world.start()).url
  secondUrl = (await world.start()).url
  keyedUrl = (await world.start({ config: { youtubeApiUrl: youtube.url, youtubeApiKey: youtube.key } })).url
})
afterAll(async () => {
  await world.close()
  await youtube.stop()
})

const report = (person: PersonSnapshot, playlistId: string, videoId: string, { baseUrl = url, code = 150 } = {}) =>
  callAs(world, baseUrl, person).post(`/playlists/${playlistId}/videos/${videoId}/unavailable`, { code })
/** "Count it as unavailable" in the playlist. */
const decide = (person: PersonSnapshot, playlistId: string, videoId: string, baseUrl = url) =>
  callAs(world, baseUrl, person).post(`/playlists/${playlistId}/videos/${videoId}/unavailable`, {
    code: 0,
    decided: true,
  })
const eventsOf = (playlistId: string) =>
  world
    .of('video.unavailable')
    .filter(event => event.playlist_id === playlistId)
    .map(event => events['video.unavailable'].data.parse(event))
const changes = (playlistId: string) => world.of('playlist.changed').filter(event => event.playlist_id === playlistId)
const waitForOutbox = () =>
  eventually(async () => expect(await collectionOf(world, 'outbox').countDocuments({ pending: true })).toBe(0))
const unavailableFlags = async (person: PersonSnapshot, baseUrl = url) => {
  const { json } = await callAs(world, baseUrl, person).get('/playlists/today')
  return json.videos.map((video: { unavailable?: boolean }) => video.unavailable ?? false)
}

/** Creates a YouTube playlist that a supervisor imported and assigned to a team of two. */
async function importPlaylist() {
  createdCount += 1
  const prefix = `u${String(createdCount).padStart(4, '0')}-`
  const films = Array.from({ length: 3 }, (_, index) => ({
    id: `${prefix}${String(index).padStart(5, '0')}`,
    title: `Film ${index}`,
    duration: 'PT1M',
  }))
  const youtubeId = `PLunavailable-${String(createdCount).padStart(4, '0')}`
  youtube.playlists.set(youtubeId, { title: 'Films', description: '', videos: films })
  const supervisor = world.addPerson('supervisor')
  const boss = callAs(world, keyedUrl, supervisor)
  const team = [1, 2].map(() => world.addPerson('user', { supervisor_id: supervisor.id }))
  const playlist = (await boss.post('/playlists/import', { youtube_playlist_url: youtube.urlOf(youtubeId) })).json
  await assignPlaylist(boss, playlist.id, ...team)
  return { supervisor, boss, team, playlist, films: youtube.playlists.get(youtubeId)!.videos }
}

describe('reportUnavailable', () => {
  test('repeated reports of one trainee mark nothing and publish one event', async () => {
    const { supervisor, trainee, playlist } = await createTeamWithPlaylist(world, url, 2)
    for (const baseUrl of [url, secondUrl, url]) {
      const answer = await report(trainee, playlist.id, 'v1', { baseUrl })
      expect([answer.status, answer.json]).toEqual([200, { success: true, unavailable: false }])
    }
    await waitForOutbox()
    expect(eventsOf(playlist.id)).toEqual([
      {
        playlist_id: playlist.id,
        video_id: 'v1',
        title: 'Video 1',
        person_id: trainee.id,
        confirmed: false,
        playlist_title: 'Safety',
        created_by: supervisor.id,
        shared_with: [],
      },
    ])
    expect(changes(playlist.id)).toEqual([])
    expect(await unavailableFlags(trainee)).toEqual([false, false, false])
  })

  test('the report of an erased person goes, and those of others stay', async () => {
    const { boss, team, playlist } = await createTeamWithPlaylist(world, url, 2)
    const [erased, other] = team as [PersonSnapshot, PersonSnapshot]
    for (const person of [erased, other]) await report(person, playlist.id, 'v1')
    const storedReports = () => collectionOf(world, 'unavailable_reports').findOne({ playlist_id: playlist.id })
    expect((await storedReports())!.reports).toHaveLength(2)
    await world.publish('user.erased', makeErasure(erased))
    await eventually(async () => expect((await storedReports())!.reports).toMatchObject([{ person_id: other.id }]))
    expect((await boss.get(`/playlists/${playlist.id}`)).json.videos[1].reported_by).toBe(1)
  })

  test('ten trainees mark nothing, and staff are asked once', async () => {
    const { boss, team, playlist } = await createTeamWithPlaylist(world, url, 10)
    const answers = await Promise.all(
      team.map((person, index) => report(person, playlist.id, 'v0', { baseUrl: index % 2 ? url : secondUrl })),
    )
    expect(answers.map(answer => [answer.status, answer.json.unavailable])).toEqual(Array(10).fill([200, false]))
    await waitForOutbox()
    expect(eventsOf(playlist.id).map(event => event.confirmed)).toEqual([false])
    expect(changes(playlist.id)).toEqual([])
    expect(await unavailableFlags(team[0]!)).toEqual([false, false, false])
    const reportedBy = async (person: typeof boss) =>
      (await person.get(`/playlists/${playlist.id}`)).json.videos.map((video: Video) => video.reported_by ?? 0)
    expect(await reportedBy(boss)).toEqual([10, 0, 0])
    expect(await reportedBy(callAs(world, url, team[0]!))).toEqual([0, 0, 0])
    expect((await boss.get('/supervisor/tasks')).json[0].videos[0].reported_by).toBe(10)
  })

  test('the players of staff mark nothing, like those of trainees, and staff are asked once', async () => {
    const { supervisor, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const director = world.addPerson('director')
    // A player has no code for a connection that a firewall ends.
    for (const person of [supervisor, supervisor, director, trainee])
      expect((await report(person, playlist.id, 'v1', { code: 0 })).json).toEqual({ success: true, unavailable: false })
    await waitForOutbox()
    expect(eventsOf(playlist.id)).toEqual([expect.objectContaining({ person_id: supervisor.id, confirmed: false })])
    expect(await unavailableFlags(trainee)).toEqual([false, false, false])
  })

  test('a trainee cannot decide', async () => {
    const { trainee, playlist } = await createTeamWithPlaylist(world, url)
    expect(await decide(trainee, playlist.id, 'v1')).toMatchObject({ status: 403, json: { code: 'forbidden' } })
    expect(await unavailableFlags(trainee)).toEqual([false, false, false])
    expect(await collectionOf(world, 'unavailable_reports').countDocuments({ playlist_id: playlist.id })).toBe(0)
  })

  test('a decision of staff confirms at once, and once', async () => {
    const { supervisor, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const answers = await Promise.all([1, 2].map(() => decide(supervisor, playlist.id, 'v2')))
    expect(answers.map(({ json }) => json.unavailable)).toEqual([true, true])
    await waitForOutbox()
    expect(eventsOf(playlist.id)).toEqual([expect.objectContaining({ person_id: supervisor.id, confirmed: true })])
    expect(await unavailableFlags(trainee)).toEqual([false, false, true])
  })

  test('a decision of staff marks the video for everybody at every replica', async () => {
    const { boss, supervisor, team, playlist } = await createTeamWithPlaylist(world, url, 2)
    await report(team[0]!, playlist.id, 'v1')
    expect((await decide(supervisor, playlist.id, 'v1', secondUrl)).json.unavailable).toBe(true)
    expect((await report(team[1]!, playlist.id, 'v1')).json).toEqual({ success: true, unavailable: true })
    await eventually(async () => expect(await unavailableFlags(team[1]!, url)).toEqual([false, true, false]))
    const [listed] = (await boss.get('/playlists')).json
    expect(listed).toMatchObject({ revision: 2, total_duration: 40 })
    expect(listed.videos[1].reported_by).toBeUndefined()
    await waitForOutbox()
    expect(eventsOf(playlist.id).map(event => [event.person_id, event.confirmed])).toEqual([
      [team[0]!.id, false],
      [supervisor.id, true],
    ])
    expect(changes(playlist.id)).toEqual([expect.objectContaining({ revision: 2 })])
  })

  test('an own file confirms when it is gone from the folder, and never while it is there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'media-'))
    writeFileSync(join(folder, 'there 1.webm'), 'film')
    const { url: mediaUrl } = await world.start({
      config: { mediaRoot: folder, publicUrl: 'https://watchline.example.org' },
    })
    const files = ['/media/there%201.webm', '/media/gone.webm', 'https://watchline.example.org/media/gone.webm']
    const ownVideos = videos(4).map((video, index) => ({ ...video, url: files[index] ?? video.url }))
    const { team, playlist } = await createTeamWithPlaylist(world, mediaUrl, 2, { videos: ownVideos })
    const reportTwice = async (videoId: string) => {
      await report(team[0]!, playlist.id, videoId, { baseUrl: mediaUrl })
      return (await report(team[1]!, playlist.id, videoId, { baseUrl: mediaUrl })).json.unavailable
    }
    expect(await reportTwice('v0')).toBe(false)
    expect(await reportTwice('v1')).toBe(true)
    expect(await reportTwice('v2')).toBe(true)
    expect(await reportTwice('v3')).toBe(false)
    // A folder that is not mounted says nothing about its files.
    rmSync(folder, { recursive: true })
    expect(await reportTwice('v0')).toBe(false)
  })

  test('refuses the reports of one person beyond the limit of a day', async () => {
    const { team, playlist } = await createTeamWithPlaylist(world, url, 2)
    const [trainee, colleague] = team
    for (let sent = 0; sent < limits.unavailableReportLimit; sent += 1)
      expect((await report(trainee!, playlist.id, 'v1', { baseUrl: sent % 2 ? url : secondUrl })).status).toBe(200)
    const refused = await report(trainee!, playlist.id, 'v1')
    expect(refused).toMatchObject({ status: 429, json: { code: 'too_many' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_600)
    expect((await report(colleague!, playlist.id, 'v1')).status).toBe(200)
  })

  test('YouTube’s answer confirms, and its failure does not', async () => {
    const { team, playlist, films } = await importPlaylist()
    const [notEmbeddable, playable, deletedLater] = films
    notEmbeddable!.embeddable = false
    expect((await report(team[0]!, playlist.id, notEmbeddable!.id, { baseUrl: keyedUrl })).json.unavailable).toBe(true)
    expect((await report(team[0]!, playlist.id, playable!.id, { baseUrl: keyedUrl })).json.unavailable).toBe(false)
    youtube.injectFault('daily')
    expect((await report(team[0]!, playlist.id, deletedLater!.id, { baseUrl: keyedUrl })).json.unavailable).toBe(false)
    youtube.injectFault()
    deletedLater!.deleted = true
    expect((await report(team[0]!, playlist.id, deletedLater!.id, { baseUrl: keyedUrl })).json.unavailable).toBe(true)
    await waitForOutbox()
    expect(eventsOf(playlist.id).map(event => [event.video_id, event.confirmed])).toEqual([
      [notEmbeddable!.id, true],
      [playable!.id, false],
      [deletedLater!.id, false],
      [deletedLater!.id, true],
    ])
  })

  test('YouTube gets one request a minute for a video, and none for files and marked videos', async () => {
    const { supervisor, team, playlist, films } = await importPlaylist()
    const requests = () => youtube.calls.filter(call => call.query.id === films[0]!.id)
    await Promise.all(
      Array.from({ length: 5 }, () => report(team[0]!, playlist.id, films[0]!.id, { baseUrl: keyedUrl })),
    )
    expect(requests()).toHaveLength(1)
    await decide(supervisor, playlist.id, films[0]!.id, keyedUrl)
    clock.advance(61_000)
    await eventually(async () => expect(await unavailableFlags(team[0]!, keyedUrl)).toEqual([true, false, false]))
    await report(team[1]!, playlist.id, films[0]!.id, { baseUrl: keyedUrl })
    expect(requests()).toHaveLength(1)
    const before = youtube.calls.length
    const own = await createTeamWithPlaylist(world, keyedUrl)
    await report(own.trainee, own.playlist.id, 'v0', { baseUrl: keyedUrl })
    expect(youtube.calls).toHaveLength(before)
  })

  test('answers 404 for a foreign playlist and an unknown video', async () => {
    const { trainee, supervisor, playlist } = await createTeamWithPlaylist(world, url)
    const strangers = [world.addPerson('user'), world.addPerson('supervisor'), world.addPerson('manager')]
    for (const person of strangers) expect((await report(person, playlist.id, 'v0')).status).toBe(404)
    for (const role of ['director', 'admin'] as const)
      expect((await decide(world.addPerson(role), playlist.id, role === 'admin' ? 'v1' : 'v2')).status).toBe(200)
    expect((await report(trainee, playlist.id, 'v9')).status).toBe(404)
    expect((await report(trainee, '0123456789abcdef01234567', 'v0')).status).toBe(404)
    for (const code of [-1, 1.5, 1_001])
      expect((await report(supervisor, playlist.id, 'v0', { code })).status).toBe(422)
    const path = `/playlists/${playlist.id}/videos/v0/unavailable`
    expect((await apiClient(url).post(path, { code: 100 })).status).toBe(401)
    expect(await unavailableFlags(trainee)).toEqual([false, true, true])
  })
})

describe('a video marked as unavailable', () => {
  test('is playable again after an edit, and needs a new decision of staff', async () => {
    const { boss, supervisor, team, playlist } = await createTeamWithPlaylist(world, url)
    await report(team[0]!, playlist.id, 'v0')
    await decide(supervisor, playlist.id, 'v0')
    const renamed = await boss.put(`/playlists/${playlist.id}`, { title: 'Other' })
    expect(renamed.json.videos[0].unavailable).toBe(true)
    const edited = await boss.put(`/playlists/${playlist.id}`, { title: 'Other', videos: videos(3) })
    expect(edited.json.videos[0].unavailable ?? false).toBe(false)
    expect((await report(team[0]!, playlist.id, 'v0')).json.unavailable).toBe(false)
    await waitForOutbox()
    expect(eventsOf(playlist.id).map(event => event.confirmed)).toEqual([false, true, false])
  })

  test('counts again when staff say that it plays; new reports then ask nobody for a day', async () => {
    const { boss, supervisor, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const path = `/playlists/${playlist.id}/videos/v0/unavailable`
    await report(trainee, playlist.id, 'v0')
    for (let repeated = 0; repeated < 2; repeated += 1) {
      const dismissed = await boss.delete(path)
      expect(dismissed.status).toBe(200)
      expect(dismissed.json.videos[0].reported_by).toBeUndefined()
    }
    await report(trainee, playlist.id, 'v0')
    expect((await boss.get(`/playlists/${playlist.id}`)).json.videos[0].reported_by).toBe(1)
    await decide(supervisor, playlist.id, 'v0')
    expect((await boss.delete(path)).json).toMatchObject({ total_duration: 60, revision: 3 })
    expect(await unavailableFlags(trainee)).toEqual([false, false, false])
    await waitForOutbox()
    expect(eventsOf(playlist.id).map(event => event.confirmed)).toEqual([false, true])
    clock.advance(25 * 3600_000)
    await report(trainee, playlist.id, 'v0')
    await waitForOutbox()
    expect(eventsOf(playlist.id).map(event => event.confirmed)).toEqual([false, true, false])
    expect((await callAs(world, url, trainee).delete(path)).status).toBe(403)
    expect((await callAs(world, url, world.addPerson('supervisor')).delete(path)).status).toBe(404)
  })

  test('loses its reports when its URL changes', async () => {
    const { boss, team, playlist } = await createTeamWithPlaylist(world, url, 2)
    await report(team[0]!, playlist.id, 'v0')
    const [first, ...laterVideos] = videos(3)
    const movedVideo = { ...first!, url: 'https://media.example.org/mended.webm' }
    await boss.put(`/playlists/${playlist.id}`, { title: 'Safety', videos: [movedVideo, ...laterVideos] })
    expect((await report(team[1]!, playlist.id, 'v0')).json.unavailable).toBe(false)
  })

  test('is playable again after a refresh; videos that the refresh finds missing are published without a reporter', async () => {
    const { boss, supervisor, team, playlist, films } = await importPlaylist()
    await report(team[0]!, playlist.id, films[0]!.id)
    await decide(supervisor, playlist.id, films[0]!.id)
    films[1]!.privacyStatus = 'private'
    const refreshed = await boss.post(`/playlists/${playlist.id}/refresh`, {})
    expect(refreshed.json.videos.map((video: { unavailable?: boolean }) => video.unavailable ?? false)).toEqual([
      false,
      true,
      false,
    ])
    await waitForOutbox()
    const published = eventsOf(playlist.id)
    expect(published.slice(0, 2).map(event => [event.video_id, event.confirmed])).toEqual([
      [films[0]!.id, false],
      [films[0]!.id, true],
    ])
    expect(published.slice(2)).toEqual([
      expect.objectContaining({ video_id: films[1]!.id, person_id: null, confirmed: true }),
    ])
    await boss.post(`/playlists/${playlist.id}/refresh`, {})
    await waitForOutbox()
    expect(eventsOf(playlist.id)).toHaveLength(3)
  })

  test('loses its reports with its playlist', async () => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    await report(trainee, playlist.id, 'v0')
    expect(await collectionOf(world, 'unavailable_reports').countDocuments({ playlist_id: playlist.id })).toBe(1)
    await boss.delete(`/playlists/${playlist.id}`)
    expect(await collectionOf(world, 'unavailable_reports').countDocuments({ playlist_id: playlist.id })).toBe(0)
    expect((await report(trainee, playlist.id, 'v0')).status).toBe(404)
  })
})

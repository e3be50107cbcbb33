import { Writable } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { createLogger } from '@watchline/kit/observability/log'
import { createManualClock } from '@watchline/testing/manual-clock'
import type { Fault } from '../../../tools/src/youtube/faults.ts'
import { playlistIds } from '../../../tools/src/youtube/playlists.ts'
import { startYouTubeStandIn, type YouTubeStandIn } from '../../../tools/src/youtube/stand-in.ts'
import { callAs, collectionOf, createPlaybackWorld, type PlaybackWorld } from './_util.ts'

// Noon in Los Angeles: YouTube renews the quota in twelve hours.
const clock = createManualClock(Date.UTC(2026, 0, 5, 20))
const key = 'AIzaSecretOfTheTests'
let youtube: YouTubeStandIn
let world: PlaybackWorld
/** A service whose time limits no working call meets, however slow the machine. */
let url: string
/** A service that gives YouTube one second. */
let impatientUrl: string
beforeAll(async () => {
  youtube = await startYouTubeStandIn({ key })
  world = await createPlaybackWorld({ clock })
  const config = { youtubeApiUrl: youtube.url, youtubeApiKey: key }
  url = (await world.start({ config, videoData: patient })).url
  impatientUrl = (await world.start({ config, videoData: { ...patient, callMs: 1_000, totalMs: 3_000 } })).url
})
afterEach(() => {
  youtube.injectFault()
  youtube.calls.length = 0
})
afterAll(async () => {
  await world.close()
  await youtube.stop()
})

const patient = { callMs: 60_000, totalMs: 120_000, maxAnswerBytes: 200_000, retryPauseMs: 1 }

/** Shares the playlist and counts stored playlists and events: a failed call must store none. */
async function share(address = youtube.playlistUrl, baseUrl = url) {
  clock.advance(61_000)
  const manager = world.addPerson('manager')
  const supervisor = world.addPerson('supervisor', { manager_id: manager.id })
  const answer = await callAs(world, baseUrl, manager).post('/manager/share-playlist', {
    youtube_playlist_url: address,
    supervisor_ids: [supervisor.id],
  })
  const stored = await collectionOf(world, 'playlists').countDocuments({ created_by: manager.id })
  const publishedCount = await collectionOf(world, 'outbox').countDocuments({ 'event.data.created_by': manager.id })
  return { ...answer, leftBehind: stored + publishedCount }
}

describe('a fault of YouTube', () => {
  test.each<[Fault, number, string]>([
    ['stalled', 504, 'too_slow'],
    ['slow', 504, 'too_slow'],
    ['huge', 503, 'video_data_failed'],
    ['malformed', 503, 'video_data_failed'],
    ['html', 503, 'video_data_failed'],
    ['shapeless', 503, 'video_data_failed'],
    ['redirect', 503, 'video_data_failed'],
    ['hang-up', 503, 'video_data_failed'],
    ['internal', 503, 'video_data_failed'],
    ['unavailable', 503, 'video_data_failed'],
    ['quota', 503, 'video_data_quota'],
    ['daily', 503, 'video_data_quota'],
    ['rate', 503, 'video_data_quota'],
    ['wrong-key', 503, 'video_data_refused'],
    ['disabled', 503, 'video_data_refused'],
    ['gone', 404, 'not_found'],
  ])('%s, at any call: answers %d %s and creates nothing', async (fault, status, code) => {
    for (const on of ['playlists', 'playlistItems', 'videos'] as const) {
      youtube.injectFault(fault, { on })
      const answer = await share(youtube.playlistUrl, code === 'too_slow' ? impatientUrl : url)
      expect([on, answer.status, answer.json.code, answer.leftBehind]).toEqual([on, status, code, 0])
      expect(answer.text).not.toContain(key)
    }
    youtube.injectFault()
    expect((await share()).status).toBe(200)
  })

  test('a failure in the second page or batch creates nothing', async () => {
    for (const on of ['playlistItems', 'videos'] as const) {
      youtube.injectFault('internal', { on, after: 1 })
      const answer = await share(youtube.urlOf(playlistIds.long))
      expect([answer.status, answer.json.code, answer.leftBehind]).toEqual([503, 'video_data_failed', 0])
      expect(youtube.calls.filter(request => request.call === on).length).toBeGreaterThan(1)
    }
  })

  test('a single 5xx or broken connection is retried', async () => {
    for (const fault of ['internal', 'unavailable', 'hang-up'] as const) {
      youtube.calls.length = 0
      youtube.injectFault(fault, { times: 1 })
      expect((await share()).status).toBe(200)
      expect(youtube.calls.map(request => request.call)).toEqual(['playlists', 'playlists', 'playlistItems', 'videos'])
    }
  })

  test('a lasting failure is retried once, and a refusal never', async () => {
    youtube.injectFault('internal')
    await share()
    expect(youtube.calls).toHaveLength(2)
    youtube.calls.length = 0
    youtube.injectFault('quota')
    await share()
    expect(youtube.calls).toHaveLength(1)
  })

  test('endless paging stops at a limit', async () => {
    youtube.injectFault('endless')
    const answer = await share()
    expect([answer.status, answer.json.code, answer.leftBehind]).toEqual([422, 'invalid', 0])
    expect(youtube.calls.filter(request => request.call === 'playlistItems')).toHaveLength(11)
  })

  test('all calls of one reading share one time limit', async () => {
    const impatient = await world.start({
      config: { youtubeApiUrl: youtube.url, youtubeApiKey: key },
      videoData: { ...patient, totalMs: 300 },
    })
    youtube.injectFault('stalled', { on: 'videos' })
    const answer = await share(youtube.playlistUrl, impatient.url)
    expect([answer.status, answer.json.code, answer.leftBehind]).toEqual([504, 'too_slow', 0])
    await impatient.service.stop()
  })

  test('a failed reading is not cached', async () => {
    const caller = callAs(world, url, world.addPerson('supervisor'))
    const path = `/playlists/import?url=${encodeURIComponent(youtube.playlistUrl)}`
    clock.advance(61_000)
    youtube.injectFault('internal')
    expect((await caller.get(path)).status).toBe(503)
    youtube.injectFault()
    expect((await caller.get(path)).status).toBe(200)
  })

  test('a failed refresh changes nothing', async () => {
    const person = world.addPerson('supervisor')
    const caller = callAs(world, url, person)
    const { json } = await caller.post('/playlists/import', { youtube_playlist_url: youtube.playlistUrl })
    for (const fault of ['internal', 'malformed', 'quota', 'wrong-key', 'gone'] as const) {
      youtube.injectFault(fault)
      expect((await caller.post(`/playlists/${json.id}/refresh`, {})).status).toBeGreaterThanOrEqual(404)
    }
    expect((await caller.get('/playlists')).json).toEqual([json])
  })
})

describe('the texts and Retry-After', () => {
  const explain = async (fault: Fault, baseUrl = url) => {
    youtube.injectFault(fault)
    const { json, headers } = await share(youtube.playlistUrl, baseUrl)
    return { detail: json.detail as string, retryAfter: Number(headers.get('retry-after')) }
  }

  test('the daily quota: the end of YouTube’s day', async () => {
    const { detail, retryAfter } = await explain('quota')
    expect(detail).toBe('The daily YouTube quota is used up. Nothing was created; please try again tomorrow.')
    expect(retryAfter).toBeGreaterThan(10 * 3600)
    expect(retryAfter).toBeLessThanOrEqual(12 * 3600)
  })

  test('the rate limit: in a minute', async () => {
    expect(await explain('rate')).toEqual({ detail: expect.stringContaining('in a minute'), retryAfter: 60 })
  })

  test('a rejected key refers to the administrator', async () => {
    const detail = 'YouTube refused our API key. Ask your administrator to check it.'
    expect((await explain('wrong-key')).detail).toBe(detail)
    expect((await explain('disabled')).detail).toBe(detail)
  })

  test('a failure and a timeout: try again', async () => {
    expect(await explain('internal')).toEqual({
      detail: 'YouTube could not be read just now. Nothing was created; please try again.',
      retryAfter: 30,
    })
    expect(await explain('stalled', impatientUrl)).toEqual({
      detail: expect.stringContaining('too long'),
      retryAfter: 30,
    })
  })
})

test('an unknown key answers with its own error', async () => {
  const { url: replicaUrl, service } = await world.start({
    config: { youtubeApiUrl: youtube.url, youtubeApiKey: 'wrong' },
  })
  const answer = await share(youtube.playlistUrl, replicaUrl)
  expect([answer.status, answer.json.code, answer.leftBehind]).toEqual([503, 'video_data_refused', 0])
  await service.stop()
})

test('without a key nothing is requested, and every operation says so', async () => {
  const { url: replicaUrl, service } = await world.start({ config: { youtubeApiUrl: youtube.url } })
  const caller = callAs(world, replicaUrl, world.addPerson('supervisor'))
  expect((await caller.get('/playlists/video-data')).json).toEqual({ status: 'not_configured' })
  const answer = await share(youtube.playlistUrl, replicaUrl)
  expect([answer.status, answer.json.code, answer.leftBehind]).toEqual([503, 'video_data_not_configured', 0])
  expect(answer.json.detail).toContain('no YouTube API key is configured')
  expect(youtube.calls).toEqual([])
  await service.stop()
})

test('an unreachable YouTube answers 503, and neither answer nor log contains the key', async () => {
  const lines: string[] = []
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk))
      done()
    },
  })
  const { url: replicaUrl, service } = await world.start({
    config: { youtubeApiUrl: 'http://127.0.0.1:9/youtube/v3', youtubeApiKey: key },
    videoData: patient,
    ports: { log: createLogger('test', 'trace', sink) },
  })
  const answer = await share(youtube.playlistUrl, replicaUrl)
  expect([answer.status, answer.json.code, answer.leftBehind]).toEqual([503, 'video_data_failed', 0])
  expect(lines.join('')).toContain('YouTube could not be reached')
  expect(lines.join('') + answer.text).not.toContain(key)
  await service.stop()
})

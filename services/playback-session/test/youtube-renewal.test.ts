import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Playlist } from '@watchline/contracts/playlists'
import { createLogger } from '@watchline/kit/observability/log'
import { createManualClock } from '@watchline/testing/manual-clock'
import { playlistIds } from '../../../tools/src/youtube/playlists.ts'
import { startYouTubeStandIn, type YouTubeStandIn } from '../../../tools/src/youtube/stand-in.ts'
import { renewalUnitsPerHour } from '../src/jobs/renew-youtube-details.ts'
import { removedTitle } from '../src/rules/merge-videos.ts'
import { removedPlaylistTitle } from '../src/rules/source-texts.ts'
import type { PlaybackSessionService } from '../src/service.ts'
import { callAs, collectionOf, createPlaybackWorld, type PlaybackWorld } from './_util.ts'

const dayMs = 24 * 3600_000
const clock = createManualClock()
let youtube: YouTubeStandIn
let world: PlaybackWorld
let url: string
let service: PlaybackSessionService
beforeAll(async () => {
  youtube = await startYouTubeStandIn()
  world = await createPlaybackWorld({ clock })
  ;({ url, service } = await world.start({ config: { youtubeApiUrl: youtube.url, youtubeApiKey: youtube.key } }))
})
afterAll(async () => {
  await world.close()
  await youtube.stop()
})

async function importPlaylist() {
  const director = world.addPerson('director')
  // The token of a caller expires after ten minutes.
  const caller = () => callAs(world, url, director)
  const answer = await caller().post('/playlists/import', { youtube_playlist_url: youtube.playlistUrl })
  const imported: Playlist = answer.json
  const path = `/playlists/${imported.id}`
  return {
    imported,
    read: async (): Promise<Playlist> => (await caller().get(path)).json,
    edit: async (fields: { title: string; description: string }) =>
      expect((await caller().put(path, fields)).status).toBe(200),
    refresh: async () => expect((await caller().post(`${path}/refresh`)).status).toBe(200),
    remove: () => caller().delete(path),
  }
}

/** Passes calls on to YouTube; `beforeVideos` runs before those that read videos. */
async function startYouTubeProxy(beforeVideos: () => Promise<void>) {
  const { origin } = new URL(youtube.url)
  const server = createServer(async (req, res) => {
    if (req.url!.includes('/videos?')) await beforeVideos()
    const headers = { 'x-goog-api-key': String(req.headers['x-goog-api-key']) }
    const answer = await fetch(origin + req.url, { headers })
    res.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/youtube/v3`,
    stop: () => new Promise(resolve => server.close(resolve)),
  }
}

const withoutDetails = ({ videos }: Playlist) =>
  videos.map(({ made_for_kids, ...video }, index) => ({ ...video, title: `YouTube video ${index + 1}` }))

test('without a key the details go before 30 days have passed, and come back with a key', async () => {
  const { imported, read, remove } = await importPlaylist()
  const { service: keyless } = await world.start()
  clock.advance(28 * dayMs)
  await keyless.renewYoutubeOnce()
  expect((await read()).videos).toEqual(imported.videos)
  clock.advance(dayMs + 3600_000)
  expect(await keyless.renewYoutubeOnce()).toBe(0)
  const removed = await read()
  expect(removed.videos).toEqual(withoutDetails(imported))
  expect(removed.total_duration).toBe(imported.total_duration)
  clock.advance(3600_000)
  await keyless.renewYoutubeOnce()
  expect(await read()).toEqual(removed)

  clock.advance(3600_000)
  expect(await service.renewYoutubeOnce()).toBe(1)
  expect((await read()).videos).toEqual(imported.videos)
  clock.advance(26 * dayMs)
  expect(await service.renewYoutubeOnce()).toBe(1)
  expect((await read()).videos).toEqual(imported.videos)
  await remove()
})

test('details that YouTube refuses to renew go before 30 days have passed', async () => {
  const { imported, read, remove } = await importPlaylist()
  clock.advance(29 * dayMs + 3600_000)
  youtube.injectFault('quota')
  expect(await service.renewYoutubeOnce()).toBe(0)
  expect((await read()).videos).toEqual(withoutDetails(imported))
  youtube.injectFault()
  clock.advance(3600_000)
  await service.renewYoutubeOnce()
  expect((await read()).videos).toEqual(imported.videos)
  await remove()
})

test('old details that wait for their turn stay while the key works, and go while no call succeeds', async () => {
  const { imported, remove } = await importPlaylist()
  const playlists = collectionOf(world, 'playlists')
  const own = (await playlists.findOne({ _id: imported.id as never }))!
  const copies = Array.from({ length: renewalUnitsPerHour + 10 }, (_, index) => ({
    ...own,
    ...{ _id: `waiting-${index}`, source: { ...own.source, youtube_playlist_id: `copy-${index}` } },
  }))
  await playlists.insertMany(copies as never[])
  const countRemoved = () => playlists.countDocuments({ 'source.details_removed_at': { $gt: new Date(0) } })
  clock.advance(29 * dayMs + 3600_000)
  youtube.calls.length = 0
  const firstRun = await service.renewYoutubeOnce()
  expect(youtube.calls).toHaveLength(renewalUnitsPerHour)
  expect(firstRun).toBe(renewalUnitsPerHour - 3)
  expect(await countRemoved()).toBe(0)
  youtube.injectFault('quota')
  clock.advance(3600_000)
  expect(await service.renewYoutubeOnce()).toBe(0)
  expect(await countRemoved()).toBe(copies.length + 1 - firstRun)
  youtube.injectFault()
  clock.advance(3600_000)
  expect(await service.renewYoutubeOnce()).toBe(copies.length + 1 - firstRun)
  expect(await countRemoved()).toBe(0)
  await playlists.deleteMany({ _id: { $in: copies.map(({ _id }) => _id as never) } })
  await remove()
})

test('details of YouTube videos are renewed before 30 days have passed, and those of removed videos go', async () => {
  const source = youtube.playlists.get(playlistIds.short)!
  source.videos[0]!.madeForKids = true
  const director = world.addPerson('director')
  const imported = await callAs(world, url, director).post('/playlists/import', {
    youtube_playlist_url: youtube.playlistUrl,
  })
  const { id, videos }: Playlist = imported.json
  expect(videos.map(video => video.made_for_kids ?? false)).toEqual([true, false, false])
  expect(await service.renewYoutubeOnce()).toBe(0)

  clock.advance(26 * dayMs)
  source.videos[0]!.madeForKids = false
  source.videos[1]!.title = 'A new title'
  source.videos[2]!.deleted = true
  youtube.calls.length = 0
  expect(await service.renewYoutubeOnce()).toBe(1)
  const { json: renewed } = await callAs(world, url, director).get(`/playlists/${id}`)
  expect(renewed.videos).toMatchObject([
    { title: videos[0]!.title },
    { title: 'A new title' },
    { title: removedTitle, unavailable: true, duration: videos[2]!.duration },
  ])
  expect(renewed.videos[0]).not.toHaveProperty('made_for_kids')
  expect(renewed.source.read_at).toBe(new Date(clock.now()).toISOString())
  // The title and the videos.
  expect(youtube.calls).toHaveLength(2)
  // One replica an hour, and nothing is due.
  expect(await service.renewYoutubeOnce()).toBe(0)
  clock.advance(3600_000)
  expect(await service.renewYoutubeOnce()).toBe(0)
  expect(youtube.calls).toHaveLength(2)
  await callAs(world, url, director).delete(`/playlists/${id}`)
})

describe('title and description of an imported playlist', () => {
  const source = () => youtube.playlists.get(playlistIds.short)!
  const texts = ({ title, description }: Playlist) => ({ title, description })
  const own = { title: 'Our safety week', description: 'Watch until Friday' }
  const runAfter = async (ms: number, by = service) => {
    clock.advance(ms)
    await by.renewYoutubeOnce()
  }
  const removed = { title: removedPlaylistTitle, description: '' }

  test('follow YouTube, until a person edits them', async () => {
    const { imported, read, edit, remove } = await importPlaylist()
    expect(texts(imported)).toEqual(texts(source() as never))
    Object.assign(source(), { title: 'Renamed on YouTube', description: 'Rewritten on YouTube' })
    await runAfter(26 * dayMs)
    expect(texts(await read())).toEqual({ title: 'Renamed on YouTube', description: 'Rewritten on YouTube' })
    await edit({ title: own.title, description: 'Rewritten on YouTube' })
    Object.assign(source(), { title: 'Again', description: 'Another text' })
    await runAfter(26 * dayMs)
    expect(texts(await read())).toEqual({ title: own.title, description: 'Another text' })
    await edit({ title: own.title, description: '' })
    await runAfter(26 * dayMs)
    Object.assign(source(), { description: 'A third text' })
    await runAfter(26 * dayMs)
    expect(texts(await read())).toEqual({ title: own.title, description: '' })
    await remove()
  })

  test('go without a key and when the playlist is gone, and come back; a person’s own words stay', async () => {
    const { service: keyless } = await world.start()
    const [followed, edited] = [await importPlaylist(), await importPlaylist()]
    await edited.edit(own)
    const stored = async () => JSON.stringify(await collectionOf(world, 'playlists').find().toArray())
    expect(await stored()).toContain(source().title)
    await runAfter(29 * dayMs + 3600_000, keyless)
    expect([texts(await followed.read()), texts(await edited.read())]).toEqual([removed, own])
    expect(await stored()).not.toContain(source().title)
    expect(await stored()).not.toContain(source().description)
    await runAfter(3600_000)
    expect([texts(await followed.read()), texts(await edited.read())]).toEqual([texts(source() as never), own])
    source().private = true
    await runAfter(26 * dayMs)
    expect([texts(await followed.read()), texts(await edited.read())]).toEqual([removed, own])
    source().private = false
    await runAfter(26 * dayMs)
    expect([texts(await followed.read()), texts(await edited.read())]).toEqual([texts(source() as never), own])
    await Promise.all([followed.remove(), edited.remove()])
  })

  test('of an earlier version follow YouTube if they are those of YouTube', async () => {
    const [same, other] = [await importPlaylist(), await importPlaylist()]
    await other.edit({ title: other.imported.title, description: own.description })
    await collectionOf(world, 'playlists').updateMany({}, { $unset: { 'source.description': 1 } })
    await runAfter(26 * dayMs)
    Object.assign(source(), { title: 'Newest', description: 'Newest text' })
    await runAfter(26 * dayMs)
    expect(texts(await same.read())).toEqual({ title: 'Newest', description: 'Newest text' })
    expect(texts(await other.read())).toEqual({ title: 'Newest', description: own.description })
    await Promise.all([same.remove(), other.remove()])
  })

  test('stay those of a later reading that a person makes during the run', async () => {
    const { imported, read, refresh, remove } = await importPlaylist()
    Object.assign(source(), { title: 'Read by the run', description: '' })
    const proxy = await startYouTubeProxy(async () => {
      clock.advance(1_000)
      Object.assign(source(), { title: 'Read by the person', description: '' })
      await refresh()
    })
    const config = { youtubeApiUrl: proxy.url, youtubeApiKey: youtube.key }
    const { service: slow } = await world.start({ config })
    await runAfter(26 * dayMs, slow)
    expect(texts(await read())).toEqual({ title: 'Read by the person', description: '' })
    expect((await read()).source!.read_at).toBe(new Date(clock.now()).toISOString())
    Object.assign(source(), texts(imported))
    await proxy.stop()
    await remove()
  })
})

test('a failed reading of texts logs one line for all playlists that it concerns', async () => {
  const playlists = await Promise.all(Array.from({ length: 3 }, importPlaylist))
  const lines: string[] = []
  const log = createLogger('test', 'warn', { write: line => void lines.push(line) })
  const { service: logging } = await world.start({
    config: { youtubeApiUrl: youtube.url, youtubeApiKey: 'wrong key' },
    ports: { log },
  })
  clock.advance(26 * dayMs)
  expect(await logging.renewYoutubeOnce()).toBe(0)
  expect(lines.map(line => JSON.parse(line)).filter(({ msg }) => msg.includes('YouTube'))).toMatchObject([
    { msg: 'reading of texts of YouTube playlists failed, retrying', playlists: 3 },
  ])
  clock.advance(3600_000)
  await service.renewYoutubeOnce()
  for (const { remove } of playlists) await remove()
})

test('a run stops at the first refusal for want of quota', async () => {
  const playlists = await Promise.all(Array.from({ length: 3 }, importPlaylist))
  clock.advance(26 * dayMs)
  youtube.calls.length = 0
  youtube.injectFault('quota')
  expect(await service.renewYoutubeOnce()).toBe(0)
  expect(youtube.calls).toHaveLength(1)
  youtube.injectFault()
  clock.advance(3600_000)
  expect(await service.renewYoutubeOnce()).toBe(3)
  for (const { remove } of playlists) await remove()
})

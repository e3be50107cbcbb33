import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import type { Video } from '@watchline/contracts/playlists'
import { createMediaVerifier } from '@watchline/identity/media-addresses'
import { createManualClock } from '@watchline/testing/manual-clock'
import { playlistIds } from '../../../tools/src/youtube/playlists.ts'
import { startYouTubeStandIn, type YouTubeStandIn } from '../../../tools/src/youtube/stand-in.ts'
import {
  callAs,
  createPlaybackWorld,
  createPlaylist,
  createTeamWithPlaylist,
  mediaSecrets,
  type PlaybackWorld,
  videos,
} from './_util.ts'

const clock = createManualClock()
const verifier = createMediaVerifier(mediaSecrets)
const publicUrl = 'https://watchline.example.org'
let world: PlaybackWorld
let youtube: YouTubeStandIn
let url: string
beforeAll(async () => {
  youtube = await startYouTubeStandIn()
  world = await createPlaybackWorld({ clock })
  url = (await world.start({ config: { publicUrl, youtubeApiUrl: youtube.url, youtubeApiKey: youtube.key } })).url
})
afterAll(async () => {
  await world.close()
  await youtube.stop()
})

const addresses = ['/media/part/one%20%231.mp4', `${publicUrl}/media/two.webm`, 'https://media.example.org/three.webm']
const ownVideos = videos(3).map((video, index) => ({ ...video, url: addresses[index] }))
const ticketOf = (address: string | undefined) =>
  address ? verifier.verify(address.slice('/media'.length)) : undefined
const mediaUrls = (playlist: { videos: Video[] }) => playlist.videos.map(video => video.media_url)

describe('the addresses of own files', () => {
  test('come with the playlist, for this login session and these files', async () => {
    const { trainee, boss, playlist } = await createTeamWithPlaylist(world, url, 1, { videos: ownVideos })
    const session = callAs(world, url, trainee, 'sid-of-the-trainee')
    const answers = [
      (await session.get('/playlists/today')).json,
      (await session.get(`/playlists/${playlist.id}`)).json,
      (await session.get('/playlists')).json[0],
      (await session.get('/playlists/assigned')).json[0],
    ]
    for (const answer of answers) {
      const [one, two, three] = mediaUrls(answer)
      expect(one).toMatch(/^\/media\/~[^/]+\/part\/one%20%231\.mp4$/)
      expect(two).toMatch(/^\/media\/~[^/]+\/two\.webm$/)
      expect(three).toBeUndefined()
      const ticket = ticketOf(one)!
      expect(ticket).toMatchObject({ playlistId: playlist.id, scope: 'part/one #1.' })
      expect([ticket.isFor('sid-of-the-trainee'), ticket.isFor('sid-of-another')]).toEqual([true, false])
      const validS = (ticket.expiresAt - clock.now()) / 1_000
      expect(validS).toBeLessThanOrEqual(limits.mediaAddressS)
      expect(validS).toBeGreaterThanOrEqual(limits.mediaAddressS / 2)
    }
    expect(mediaUrls((await boss.get('/supervisor/tasks')).json[0])).not.toContain(mediaUrls(answers[0])[0])
  })

  test('stay the same for minutes, so that browsers use what they have', async () => {
    const maker = callAs(world, url, world.addPerson('supervisor'))
    const { id } = await createPlaylist(maker, { videos: ownVideos })
    const read = async () => mediaUrls((await maker.get(`/playlists/${id}`)).json)
    clock.advance(300_000 - (clock.now() % 300_000))
    const first = await read()
    clock.advance(299_000)
    expect(await read()).toEqual(first)
    clock.advance(2_000)
    expect((await read())[0]).not.toBe(first[0])
  })

  test('are never stored, and nobody else gets them', async () => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url, 1, { videos: ownVideos })
    const { videos: presented } = (await boss.get(`/playlists/${playlist.id}`)).json
    const edited = await boss.put(`/playlists/${playlist.id}`, { title: 'Safety', videos: presented })
    expect(edited.json.videos.map((video: Video) => video.url)).toEqual(addresses)
    await boss.delete(`/playlists/${playlist.id}/assign`, { assigned_users: [trainee.id] })
    const former = callAs(world, url, trainee)
    expect((await former.get(`/playlists/${playlist.id}`)).status).toBe(404)
    expect((await former.get('/playlists/today')).json).toBeNull()
  })

  test('are given to authors for a file that no playlist holds yet', async () => {
    const preview = (role: 'user' | 'manager', address: string) =>
      callAs(world, url, world.addPerson(role)).get(`/playlists/media?${new URLSearchParams({ url: address })}`)
    const { json } = await preview('manager', '/media/new.webm')
    expect(ticketOf(json.media_url)).toMatchObject({ playlistId: undefined, scope: 'new.' })
    for (const elsewhere of ['https://media.example.org/x.webm', '/other/x.webm', '/media/../x.webm', '/media/.x.webm'])
      expect([elsewhere, (await preview('manager', elsewhere)).json]).toEqual([elsewhere, { media_url: null }])
    expect((await preview('manager', 'nonsense')).status).toBe(422)
    expect((await preview('user', '/media/new.webm')).status).toBe(403)
  })
})

describe('limits of use', () => {
  /** Uses up a limit, as that many calls would. */
  async function useUp(key: string, count: number, windowMs: number) {
    for (let used = 0; used < count; used += 1) await world.ports.live.counters.countHit(key, windowMs, clock.now())
  }

  test('bound the playlists that one person makes in an hour', async () => {
    const [maker, colleague] = [world.addPerson('manager'), world.addPerson('manager')]
    await useUp(`playlists:${maker.id}`, limits.playlistRateLimit - 1, limits.playlistRateWindowMs)
    const create = (person: typeof maker) =>
      callAs(world, url, person).post('/playlists', { title: 'Safety', videos: videos(1) })
    expect((await create(maker)).status).toBe(201)
    const refused = await create(maker)
    expect(refused).toMatchObject({ status: 429, json: { code: 'too_many' } })
    expect(refused.json.detail).toMatch(/very many playlists/)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await create(colleague)).status).toBe(201)
    clock.advance(limits.playlistRateWindowMs + 1)
    expect((await create(maker)).status).toBe(201)
  })

  test('bound the calls of YouTube for one person and for everybody; answers from the cache cost none', async () => {
    const preview = (person: { id: string }, list: string) =>
      callAs(world, url, person as never).get(`/playlists/import?${new URLSearchParams({ url: youtube.urlOf(list) })}`)
    const { short: first, long: second } = playlistIds
    const reader = world.addPerson('manager')
    await useUp(`video-data:${reader.id}`, limits.videoDataCallsPerPerson, limits.videoDataWindowMs)
    const refused = await preview(reader, first)
    expect(refused).toMatchObject({ status: 429, json: { code: 'too_many' } })
    expect(refused.json.detail).toMatch(/from YouTube today/)
    expect((await preview(world.addPerson('manager'), first)).status).toBe(200)
    expect((await preview(reader, first)).status).toBe(200)
    await useUp('video-data', limits.videoDataCallsPerOrganisation, limits.videoDataWindowMs)
    const before = youtube.calls.length
    expect((await preview(world.addPerson('manager'), second)).json.detail).toMatch(/Your organisation/)
    expect(youtube.calls).toHaveLength(before)
  })
})

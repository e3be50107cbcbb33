import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Role, roles } from '@watchline/contracts/people'
import type { Playlist, Video } from '@watchline/contracts/playlists'
import { apiClient } from '@watchline/testing/api-client'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { playlistIds } from '../../../tools/src/youtube/playlists.ts'
import { startYouTubeStandIn, type YouTubeStandIn } from '../../../tools/src/youtube/stand-in.ts'
import {
  assignPlaylist,
  callAs,
  collectionOf,
  createPlaybackWorld,
  createPlaylist,
  type PlaybackWorld,
} from './_util.ts'

const clock = createManualClock()
let youtube: YouTubeStandIn
let world: PlaybackWorld
let url: string
let createdCount = 0
beforeAll(async () => {
  youtube = await startYouTubeStandIn()
  world = await createPlaybackWorld({ clock })
  url = (await world.start({ config: { youtubeApiUrl: youtube.url, youtubeApiKey: youtube.key } })).url
})
afterAll(async () => {
  await world.close()
  await youtube.stop()
})

/** Creates a YouTube playlist of six films. */
function createYoutubePlaylist(title = 'Six films', count = 6) {
  createdCount += 1
  const prefix = `f${String(createdCount).padStart(4, '0')}-`
  const id = `PLimporting-${String(createdCount).padStart(4, '0')}`
  const videos = Array.from({ length: count }, (_, index) => ({
    id: `${prefix}${String(index).padStart(5, '0')}`,
    title: `Film ${index}`,
    duration: `PT${index + 1}M`,
  }))
  const playlist = { title, description: 'Description on YouTube', videos }
  youtube.playlists.set(id, playlist)
  return { id, url: youtube.urlOf(id), playlist: youtube.playlists.get(id)!, ids: videos.map(video => video.id) }
}

const idsOf = (playlist: { videos: Video[] }) => playlist.videos.map(video => video.id)
const unavailableIndexes = (playlist: { videos: Video[] }) =>
  playlist.videos.flatMap((video, index) => (video.unavailable ? [index] : []))
const countOwned = (personId: string) => collectionOf(world, 'playlists').countDocuments({ created_by: personId })
const expireReadings = () => clock.advance(61_000)
const callsOf = (name: string) => youtube.calls.filter(request => request.call === name)

/** Creates a manager with supervisors. */
function createManager(count = 2) {
  const manager = world.addPerson('manager')
  const supervisors = Array.from({ length: count }, () => world.addPerson('supervisor', { manager_id: manager.id }))
  return { manager, caller: callAs(world, url, manager), supervisors, ids: supervisors.map(person => person.id) }
}

async function importPlaylist(person: Parameters<typeof callAs>[2], address: string, fields = {}): Promise<Playlist> {
  const answer = await callAs(world, url, person).post('/playlists/import', {
    youtube_playlist_url: address,
    ...fields,
  })
  if (answer.status !== 201) throw new Error(`not imported: ${answer.status} ${answer.text}`)
  return answer.json
}

describe('getVideoDataStatus', () => {
  test.each(roles)('answers a %s by role', async role => {
    const answer = await callAs(world, url, world.addPerson(role)).get('/playlists/video-data')
    expect(answer.status).toBe(role === 'user' ? 403 : 200)
    if (role !== 'user') expect(answer.json).toEqual({ status: 'active' })
  })
})

describe('previewImport', () => {
  const preview = (role: Role, address: string) =>
    callAs(world, url, world.addPerson(role)).get(`/playlists/import?url=${encodeURIComponent(address)}`)

  test.each(roles)('answers a %s by role', async role => {
    expect((await preview(role, youtube.playlistUrl)).status).toBe(role === 'user' ? 403 : 200)
  })

  test('returns title, videos, duration and left-out items of three pages, and creates nothing', async () => {
    const before = await collectionOf(world, 'playlists').countDocuments()
    const answer = await preview('supervisor', youtube.urlOf(playlistIds.long))
    expect(answer.status).toBe(200)
    const { videos, ...summary } = answer.json
    expect(summary).toMatchObject({ title: 'The whole workshop', description: 'Everything, in order.', left_out: 4 })
    expect(videos).toHaveLength(115)
    expect(videos[0]).toEqual({
      provider: 'youtube',
      id: 'lesson-0000',
      url: null,
      title: 'Lesson 1',
      duration: 3723,
    })
    expect(idsOf({ videos })).toEqual([...idsOf({ videos })].sort())
    expect(videos.filter((video: Video) => video.unavailable).map((video: Video) => video.id)).toEqual(['lesson-0055'])
    const playable = videos.filter((video: Video) => !video.unavailable)
    expect(summary.total_duration).toBe(playable.reduce((sum: number, video: Video) => sum + video.duration, 0))
    expect(await collectionOf(world, 'playlists').countDocuments()).toBe(before)
  })

  test('requests fifty items at a time with the needed parts, as the real API requires', async () => {
    youtube.calls.length = 0
    expireReadings()
    await preview('manager', youtube.urlOf(playlistIds.long))
    expect(callsOf('playlists')).toHaveLength(1)
    expect(callsOf('playlistItems').map(call => call.query.maxResults)).toEqual(['50', '50', '50'])
    const batchSizes = callsOf('videos').map(call => call.query.id!.split(',').length)
    expect(batchSizes).toEqual([50, 50, 19])
    expect(callsOf('videos')[0]!.query.part).toBe('snippet,contentDetails,status')
  })

  test('reads YouTube once for concurrent previews and the following import', async () => {
    const { url: address, id } = createYoutubePlaylist()
    youtube.calls.length = 0
    const person = world.addPerson('supervisor')
    const caller = callAs(world, url, person)
    const path = `/playlists/import?url=${encodeURIComponent(address)}`
    await Promise.all([caller.get(path), caller.get(path), caller.get(path)])
    await importPlaylist(person, address)
    expect(callsOf('playlists').filter(call => call.query.id === id)).toHaveLength(1)
    expireReadings()
    await caller.get(path)
    expect(callsOf('playlists').filter(call => call.query.id === id)).toHaveLength(2)
  })

  test.each([
    ['no address', '', 422],
    ['blank', '%20', 422],
    ['not of YouTube', 'https://vimeo.com/1', 422],
    ['of a video alone', 'https://youtu.be/dQw4w9WgXcQ', 422],
    ['of a personal list', 'https://www.youtube.com/playlist?list=WL', 422],
    ['of an unknown playlist', 'https://www.youtube.com/playlist?list=PLnobody-knows-it', 404],
    ['of a private playlist', `https://www.youtube.com/playlist?list=${playlistIds.private}`, 404],
    ['of an empty playlist', `https://www.youtube.com/playlist?list=${playlistIds.empty}`, 422],
  ])('handles a URL that is %s', async (_name, address, status) => {
    const answer = await callAs(world, url, world.addPerson('supervisor')).get(`/playlists/import?url=${address}`)
    expect(answer.status).toBe(status)
    expect(answer.json.detail).toEqual(expect.any(String))
  })
})

describe('importPlaylist', () => {
  test.each(roles)('answers a %s by role', async role => {
    const { url: address } = createYoutubePlaylist()
    const person = world.addPerson(role)
    const answer = await callAs(world, url, person).post('/playlists/import', { youtube_playlist_url: address })
    expect(answer.status).toBe(role === 'user' ? 403 : 201)
    expect(await countOwned(person.id)).toBe(role === 'user' ? 0 : 1)
  })

  test('refuses a call without a token', async () => {
    const answer = await apiClient(url).post('/playlists/import', { youtube_playlist_url: youtube.playlistUrl })
    expect(answer.status).toBe(401)
  })

  test('returns the playlist, stores it with its source and publishes its creation', async () => {
    const person = world.addPerson('supervisor')
    const { url: address, id, ids } = createYoutubePlaylist('Forklifts')
    const playlist = await importPlaylist(person, address)
    expect(playlist).toMatchObject({
      title: 'Forklifts',
      description: 'Description on YouTube',
      total_duration: 21 * 60,
      created_by: person.id,
      shared_with: [],
      revision: 1,
      source: { provider: 'youtube', playlist_id: id, read_at: new Date(clock.now()).toISOString() },
    })
    expect(idsOf(playlist)).toEqual(ids)
    expect((await callAs(world, url, person).get('/playlists')).json).toEqual([playlist])
    await eventually(() =>
      expect(world.of('playlist.created')).toContainEqual(
        expect.objectContaining({ playlist_id: playlist.id, created_by: person.id, shared_with: [] }),
      ),
    )
    expect(world.of('playlist.shared').filter(event => event.playlist_id === playlist.id)).toEqual([])
  })

  test('prefers the given title and description', async () => {
    const { url: address } = createYoutubePlaylist()
    const texts = { title: '  Our films ', description: 'For the night shift' }
    expect(await importPlaylist(world.addPerson('manager'), address, texts)).toMatchObject({
      title: 'Our films',
      description: 'For the night shift',
    })
  })

  test('removes hiding characters from texts of YouTube', async () => {
    const { url: address, playlist } = createYoutubePlaylist(' A\u0000B\u202E \n C ')
    playlist.videos[0]!.title = 'x'.repeat(500)
    playlist.videos[1]!.title = '<script>alert(1)</script>'
    const clean = await importPlaylist(world.addPerson('supervisor'), address)
    expect(clean.title).toBe('AB C')
    expect(clean.videos[0]!.title).toHaveLength(200)
    expect(clean.videos[1]!.title).toBe('<script>alert(1)</script>')
  })

  test('a repeated import refreshes the existing playlist; another owner gets their own', async () => {
    const person = world.addPerson('supervisor')
    const { url: address, playlist } = createYoutubePlaylist()
    const first = await importPlaylist(person, address)
    playlist.videos[0]!.title = 'A better title'
    expireReadings()
    const second = await importPlaylist(person, `https://youtu.be/dQw4w9WgXcQ?list=${first.source!.playlist_id}`)
    expect(second).toMatchObject({ id: first.id, revision: 2 })
    expect(second.videos[0]!.title).toBe('A better title')
    expect(await countOwned(person.id)).toBe(1)
    await eventually(() =>
      expect(world.of('playlist.changed')).toContainEqual(
        expect.objectContaining({ playlist_id: first.id, revision: 2 }),
      ),
    )
    const foreign = await importPlaylist(world.addPerson('supervisor'), address)
    expect(foreign.id).not.toBe(first.id)
  })

  test('concurrent imports of one playlist at two replicas create one playlist', async () => {
    const second = await world.start({ config: { youtubeApiUrl: youtube.url, youtubeApiKey: youtube.key } })
    const person = world.addPerson('manager')
    const { url: address } = createYoutubePlaylist()
    const callers = [url, second.url, url, second.url, url, second.url].map(baseUrl => callAs(world, baseUrl, person))
    const answers = await Promise.all(
      callers.map(caller => caller.post('/playlists/import', { youtube_playlist_url: address })),
    )
    expect(answers.map(answer => answer.status)).toEqual(callers.map(() => 201))
    expect(new Set(answers.map(answer => answer.json.id)).size).toBe(1)
    expect(await countOwned(person.id)).toBe(1)
    await second.service.stop()
  })

  test('playlists made by hand do not conflict with each other', async () => {
    const person = world.addPerson('supervisor')
    const caller = callAs(world, url, person)
    await createPlaylist(caller)
    await createPlaylist(caller)
    await importPlaylist(person, createYoutubePlaylist().url)
    await importPlaylist(person, createYoutubePlaylist().url)
    expect(await countOwned(person.id)).toBe(4)
  })

  test('a deleted import does not block a new one', async () => {
    const person = world.addPerson('supervisor')
    const { url: address } = createYoutubePlaylist()
    const first = await importPlaylist(person, address)
    expect((await callAs(world, url, person).delete(`/playlists/${first.id}`)).status).toBe(200)
    expireReadings()
    const second = await importPlaylist(person, address)
    expect(second).toMatchObject({ revision: 1 })
    expect(second.id).not.toBe(first.id)
  })

  test.each([
    ['no body', undefined],
    ['no address', { title: 'T' }],
    ['a blank address', { youtube_playlist_url: '   ' }],
    ['an object for an address', { youtube_playlist_url: { $gt: '' } }],
    ['an address too long', { youtube_playlist_url: `https://www.youtube.com/playlist?list=${'P'.repeat(2000)}` }],
    ['another site', { youtube_playlist_url: 'https://example.org/playlist?list=PLstandin-short' }],
    ['a title too long', { youtube_playlist_url: 'x', title: 'x'.repeat(201) }],
    ['nothing that can be played', { youtube_playlist_url: `youtube.com/playlist?list=${playlistIds.empty}` }],
  ])('refuses %s and stores nothing', async (_name, body) => {
    const person = world.addPerson('supervisor')
    const answer = await callAs(world, url, person).post('/playlists/import', body)
    expect(answer.status).toBe(422)
    expect(answer.json).toMatchObject({ code: 'invalid', detail: expect.any(String) })
    expect(await countOwned(person.id)).toBe(0)
  })

  test('explains what is wrong with the URL', async () => {
    const caller = callAs(world, url, world.addPerson('manager'))
    const detailOf = async (address: string) =>
      (await caller.post('/playlists/import', { youtube_playlist_url: address })).json.detail
    expect(await detailOf('https://example.org')).toBe('This is not a YouTube playlist URL')
    expect(await detailOf(youtube.urlOf(playlistIds.empty))).toBe('This playlist has no video that can be played.')
    expect(await detailOf('https://youtube.com/playlist?list=LL')).toContain('personal list')
  })

  test('accepts at most 500 videos', async () => {
    const person = world.addPerson('supervisor')
    const largest = createYoutubePlaylist('The most', 500)
    expect((await importPlaylist(person, largest.url)).videos).toHaveLength(500)
    const tooMany = createYoutubePlaylist('Too many', 501)
    const answer = await callAs(world, url, person).post('/playlists/import', { youtube_playlist_url: tooMany.url })
    expect(answer.status).toBe(422)
    expect(answer.json.detail).toBe('A playlist can hold at most 500 videos.')
    expect(await countOwned(person.id)).toBe(1)
  })
})

describe('sharePlaylist', () => {
  const share = (caller: ReturnType<typeof callAs>, address: string, supervisorIds: string[], fields = {}) =>
    caller.post('/manager/share-playlist', {
      youtube_playlist_url: address,
      supervisor_ids: supervisorIds,
      ...fields,
    })

  test.each(roles)('answers a %s by role', async role => {
    const person = world.addPerson(role)
    const supervisor = world.addPerson('supervisor', { manager_id: person.id })
    const answer = await share(callAs(world, url, person), createYoutubePlaylist().url, [supervisor.id])
    expect(answer.status).toBe(role === 'manager' ? 200 : 403)
  })

  test('shares with several supervisors, who see it among their tasks, and publishes it', async () => {
    const { manager, caller, supervisors, ids } = createManager(3)
    const { url: address } = createYoutubePlaylist('Ladders')
    const answer = await share(caller, address, [...ids.slice(0, 2), ids[0]!], { description: 'Please watch' })
    expect(answer.status).toBe(200)
    const { playlist } = answer.json
    expect(answer.json.success).toBe(true)
    expect(playlist).toMatchObject({ title: 'Ladders', description: 'Please watch', shared_with: ids.slice(0, 2) })
    for (const [index, supervisor] of supervisors.entries()) {
      const tasks = (await callAs(world, url, supervisor).get('/supervisor/tasks')).json
      expect(tasks.map((task: Playlist) => task.id)).toEqual(index < 2 ? [playlist.id] : [])
    }
    await eventually(() => {
      expect(world.of('playlist.created')).toContainEqual(
        expect.objectContaining({ playlist_id: playlist.id, shared_with: ids.slice(0, 2) }),
      )
      expect(world.of('playlist.shared')).toContainEqual({
        playlist_id: playlist.id,
        title: 'Ladders',
        by: manager.id,
        shared_with: ids.slice(0, 2),
      })
    })
  })

  test('repeated, adds new supervisors and removes nobody', async () => {
    const { caller, ids } = createManager(3)
    const { url: address } = createYoutubePlaylist()
    const first = (await share(caller, address, [ids[0]!], { description: 'One' })).json.playlist
    const second = (await share(caller, address, [ids[0]!, ids[1]!])).json.playlist
    const third = (await share(caller, address, [ids[2]!], { description: 'Three' })).json.playlist
    expect([second, third].map(playlist => playlist.id)).toEqual([first.id, first.id])
    expect(second).toMatchObject({ shared_with: ids.slice(0, 2), description: 'One', revision: 2 })
    expect(third).toMatchObject({ shared_with: ids, description: 'Three', revision: 3 })
    const sharedEvents = () => world.of('playlist.shared').filter(event => event.playlist_id === first.id)
    await eventually(() =>
      expect(sharedEvents().map(event => event.shared_with)).toEqual([[ids[0]], [ids[1]], [ids[2]]]),
    )
  })

  test('repeated within a minute changes nothing', async () => {
    const { caller, ids } = createManager(1)
    const { url: address } = createYoutubePlaylist()
    const first = (await share(caller, address, ids)).json.playlist
    expect((await share(caller, address, ids)).json.playlist).toEqual(first)
  })

  test('concurrent calls with different supervisors add all of them', async () => {
    const { manager, caller, ids } = createManager(6)
    const { url: address } = createYoutubePlaylist()
    const answers = await Promise.all(ids.map(id => share(caller, address, [id])))
    expect(answers.map(answer => answer.status)).toEqual(ids.map(() => 200))
    const [stored] = await collectionOf(world, 'playlists').find({ created_by: manager.id }).toArray()
    expect([...stored!.shared_with].sort()).toEqual([...ids].sort())
    expect(await countOwned(manager.id)).toBe(1)
  })

  test('a supervisor who has just joined the manager is accepted after asking auth', async () => {
    const { manager, caller, ids } = createManager(1)
    const newcomer = world.addPerson('supervisor')
    await callAs(world, url, newcomer).get('/playlists')
    world.changePerson(newcomer, { manager_id: manager.id })
    const answer = await share(caller, createYoutubePlaylist().url, [ids[0]!, newcomer.id])
    expect(answer.status).toBe(200)
    expect([...answer.json.playlist.shared_with].sort()).toEqual([ids[0]!, newcomer.id].sort())
  })

  test('with anybody except own supervisors answers 403 and shares with nobody', async () => {
    const { manager, caller, supervisors, ids } = createManager(1)
    const member = world.addPerson('user', { supervisor_id: ids[0]! })
    const foreign = world.addPerson('supervisor', { manager_id: world.addPerson('manager').id })
    const free = world.addPerson('supervisor')
    const former = world.addPerson('user', { manager_id: manager.id })
    for (const supervisorId of [foreign.id, free.id, member.id, former.id, manager.id, 'nobody']) {
      const answer = await share(caller, createYoutubePlaylist().url, [ids[0]!, supervisorId])
      expect([answer.status, answer.json.code]).toEqual([403, 'outside_team'])
    }
    expect(await countOwned(manager.id)).toBe(0)
    expect((await callAs(world, url, supervisors[0]!).get('/supervisor/tasks')).json).toEqual([])
  })

  test.each([
    ['nobody', { supervisor_ids: [] }, 'At least one supervisor must be selected'],
    ['no ids', { supervisor_ids: undefined }, undefined],
    ['a blank address', { youtube_playlist_url: ' ' }, undefined],
    ['another site', { youtube_playlist_url: 'https://vimeo.com/1' }, 'This is not a YouTube playlist URL'],
    ['an object for an id', { supervisor_ids: [{ $ne: null }] }, undefined],
    ['a description too long', { description: 'x'.repeat(2001) }, undefined],
  ])('refuses %s', async (_name, fields, detail) => {
    const { manager, caller, ids } = createManager(1)
    const answer = await share(caller, youtube.playlistUrl, ids, fields)
    expect(answer.status).toBe(422)
    if (detail) expect(answer.json.detail).toBe(detail)
    expect(await countOwned(manager.id)).toBe(0)
  })

  test('a private or unknown playlist answers 404', async () => {
    const { manager, caller, ids } = createManager(1)
    for (const id of [playlistIds.private, 'PLnobody-knows-it']) {
      const answer = await share(caller, youtube.urlOf(id), ids)
      expect(answer.status).toBe(404)
      expect(answer.json.detail).toContain('private')
    }
    expect(await countOwned(manager.id)).toBe(0)
  })
})

describe('refreshPlaylist', () => {
  const refresh = (person: Parameters<typeof callAs>[2], id: string) =>
    callAs(world, url, person).post(`/playlists/${id}/refresh`, {})

  test('is allowed for the owner, a director and the admin; others get 404', async () => {
    const { manager, ids, supervisors } = createManager(1)
    const { url: address } = createYoutubePlaylist()
    const shared = await callAs(world, url, manager).post('/manager/share-playlist', {
      youtube_playlist_url: address,
      supervisor_ids: ids,
    })
    const { id } = shared.json.playlist
    const statusOf = async (person: Parameters<typeof callAs>[2]) => (await refresh(person, id)).status
    expect(await statusOf(manager)).toBe(200)
    expect(await statusOf(supervisors[0]!)).toBe(404)
    expect(await statusOf(world.addPerson('manager'))).toBe(404)
    expect(await statusOf(world.addPerson('supervisor'))).toBe(404)
    expect(await statusOf(world.addPerson('director'))).toBe(200)
    expect(await statusOf(world.addPerson('admin'))).toBe(200)
    expect(await statusOf(world.addPerson('user', { supervisor_id: ids[0]! }))).toBe(403)
    expect((await refresh(manager, '0123456789abcdef01234567')).status).toBe(404)
    expect((await apiClient(url).post(`/playlists/${id}/refresh`, {})).status).toBe(401)
  })

  test('of a playlist made by hand answers 409', async () => {
    const person = world.addPerson('supervisor')
    const { id } = await createPlaylist(callAs(world, url, person))
    const answer = await refresh(person, id)
    expect([answer.status, answer.json.code]).toEqual([409, 'conflict'])
  })

  test('reads anew within the minute: titles, durations, missing, not embeddable and new videos', async () => {
    const person = world.addPerson('supervisor')
    const { id: youtubeId, url: address, playlist } = createYoutubePlaylist()
    const first = await importPlaylist(person, address)
    const [a, b, c, d, e, f] = playlist.videos
    const added = { id: `${a!.id.slice(0, 6)}added`, title: 'Added', duration: 'PT9M' }
    playlist.videos = [
      added,
      { ...f!, title: 'Renamed' },
      { ...a!, duration: 'PT20M' },
      { ...b!, privacyStatus: 'private' },
      { ...c!, embeddable: false },
      { ...d!, deleted: true },
    ]
    playlist.title = 'Six other films'
    const answer = await refresh(person, first.id)
    expect(answer.status).toBe(200)
    const refreshed: Playlist = answer.json
    expect(idsOf(refreshed)).toEqual([...idsOf(first), added.id])
    expect(unavailableIndexes(refreshed)).toEqual([1, 2, 3, 4])
    expect(refreshed.videos[0]!.duration).toBe(1200)
    expect(refreshed.videos[5]!.title).toBe('Renamed')
    expect(refreshed).toMatchObject({ title: 'Six other films', revision: 2, total_duration: (20 + 6 + 9) * 60 })
    expect(refreshed.source).toMatchObject({ playlist_id: youtubeId })
    await eventually(() => {
      const changedEvent = world.of('playlist.changed').find(event => event.playlist_id === first.id)
      expect(changedEvent?.videos.map(video => video.unavailable)).toEqual([
        false,
        true,
        true,
        true,
        true,
        false,
        false,
      ])
    })

    playlist.videos = [a!, b!, c!, d!, e!, f!]
    const restored = (await refresh(person, first.id)).json
    expect(idsOf(restored)).toEqual(idsOf(refreshed))
    expect(unavailableIndexes(restored)).toEqual([6])
  })

  test('keeps an edited title', async () => {
    const person = world.addPerson('supervisor')
    const { url: address, playlist } = createYoutubePlaylist()
    const { id } = await importPlaylist(person, address, { title: 'Ours' })
    playlist.title = 'Theirs, changed'
    expect((await refresh(person, id)).json.title).toBe('Ours')
  })

  test('keeps saved positions', async () => {
    const supervisor = world.addPerson('supervisor')
    const trainee = world.addPerson('user', { supervisor_id: supervisor.id })
    const { url: address, playlist, ids } = createYoutubePlaylist()
    const { id } = await importPlaylist(supervisor, address)
    await assignPlaylist(callAs(world, url, supervisor), id, trainee)
    const player = callAs(world, url, trainee)
    await player.post('/session/monitoring', { is_monitoring: true, playlist_id: id })
    const position = { playlist_id: id, video_id: ids[3], video_index: 3, progress: 42 }
    expect((await player.post('/session/save-progress', position)).status).toBe(200)
    playlist.videos = [{ ...playlist.videos[5]!, title: 'First now' }, playlist.videos[3]!]
    expect((await refresh(supervisor, id)).status).toBe(200)
    await eventually(async () =>
      expect((await player.get(`/session/status?playlist_id=${id}`)).json).toMatchObject({
        can_resume: true,
        current_video_id: ids[3],
        current_video_index: 3,
        video_progress: 42,
      }),
    )
    expect((await player.post('/session/save-progress', { ...position, progress: 43 })).status).toBe(200)
  })

  test('marks all videos as unavailable when none can play any more', async () => {
    const person = world.addPerson('supervisor')
    const { url: address, playlist } = createYoutubePlaylist()
    const first = await importPlaylist(person, address)
    playlist.videos = []
    const refreshed = (await refresh(person, first.id)).json
    expect(unavailableIndexes(refreshed)).toEqual([0, 1, 2, 3, 4, 5])
    expect(refreshed.total_duration).toBe(0)
  })

  test('of a playlist missing on YouTube answers 404 and changes nothing', async () => {
    const person = world.addPerson('supervisor')
    const { url: address, id } = createYoutubePlaylist()
    const first = await importPlaylist(person, address)
    youtube.playlists.delete(id)
    expect((await refresh(person, first.id)).status).toBe(404)
    expect((await callAs(world, url, person).get('/playlists')).json).toEqual([first])
  })

  test('never grows a playlist beyond 500 videos', async () => {
    const person = world.addPerson('supervisor')
    const { url: address, playlist } = createYoutubePlaylist('Full', 400)
    const first = await importPlaylist(person, address)
    playlist.videos = createYoutubePlaylist('Others', 101).playlist.videos
    const answer = await refresh(person, first.id)
    expect(answer.status).toBe(422)
    expect((await callAs(world, url, person).get('/playlists')).json).toEqual([first])
  })
})

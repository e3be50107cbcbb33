import { afterEach, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { createPlaylist } from '@watchline/contracts/playlists'
import fc from 'fast-check'
import { fileVideoId, titleFromFile } from '../../src/features/playlists/draft/file-video.ts'
import {
  checkDraft,
  type DraftVideo,
  emptyDraft,
  fieldErrors,
  loadDraft,
  type PlaylistDraft,
  saveDraft,
  secondsOf,
  totalSeconds,
  videoFrom,
} from '../../src/features/playlists/draft/playlist-draft.ts'

const clip = '/clips/exits-and_assembly%20point.webm'

function added(source: string): DraftVideo {
  const addition = videoFrom(source, emptyDraft)
  if (!addition.ok) throw new Error(addition.message)
  return addition.video
}

function refused(source: string, draft: PlaylistDraft = emptyDraft): string {
  const addition = videoFrom(source, draft)
  if (addition.ok) throw new Error('was accepted')
  return addition.message
}

const good: PlaylistDraft = {
  title: ' Safety ',
  description: '',
  videos: [
    { ...added('dQw4w9WgXcQ'), title: 'One', duration: '1:05' },
    { ...added(clip), duration: '0:15', measured: 15.01 },
  ],
}

function errorsOf(draft: PlaylistDraft) {
  const checked = checkDraft(draft)
  return checked.ok ? {} : checked.errors
}

describe('a video that is added', () => {
  test('is a YouTube video by id or address, without a title or duration yet', () => {
    expect(added('https://youtu.be/dQw4w9WgXcQ')).toEqual({
      provider: 'youtube',
      id: 'dQw4w9WgXcQ',
      title: '',
      duration: '',
    })
  })

  test('is an own file by its address, titled after its name', () => {
    expect(added(clip)).toMatchObject({ provider: 'file', url: clip, title: 'Exits and assembly point', duration: '' })
    expect(added('https://media.example.org/a/b/talk.m3u8?token=1')).toMatchObject({ provider: 'file', title: 'Talk' })
  })

  test('is nothing else', () => {
    expect(refused('  ')).toBe('Enter a YouTube video or the address of a file')
    expect(refused('javascript:alert(1)')).toMatch(/^This is neither/)
    expect(refused('//evil.example/x.mp4')).toMatch(/^This is neither/)
    expect(refused('https://www.youtube.com/playlist?list=PL12345')).toBe(
      'This YouTube address does not name one video',
    )
  })

  test('is in the playlist only once, however its address is written', () => {
    const message = 'This video is already in the playlist'
    expect(refused('https://www.youtube.com/watch?v=dQw4w9WgXcQ', good)).toBe(message)
    expect(refused(` ${clip} `, good)).toBe(message)
  })

  test('has an id that the contract accepts, whatever the address of the file', () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), url => {
        expect(fileVideoId(url)).toMatch(/^[\w.:~-]{1,200}$/)
        expect(fileVideoId(url)).toBe(fileVideoId(url))
      }),
    )
    expect(fileVideoId('/a/talk.mp4')).not.toBe(fileVideoId('/b/talk.mp4'))
    expect(titleFromFile('/%E0%A4%A/x')).toBe('X')
  })
})

describe('a draft', () => {
  test('makes the request of the contract, with the measured length where it still holds', () => {
    const checked = checkDraft(good)
    expect(checked.ok && createPlaylist.body?.parse(checked.body)).toMatchObject({
      title: 'Safety',
      description: '',
      videos: [
        { provider: 'youtube', id: 'dQw4w9WgXcQ', title: 'One', duration: 65 },
        { provider: 'file', url: clip, duration: 15.01 },
      ],
    })
    expect(totalSeconds(good)).toBeCloseTo(80.01, 6)
    expect(secondsOf({ ...good.videos[1]!, duration: '0:14' })).toBe(14)
  })

  test('says at each field what is wrong with it', () => {
    expect(errorsOf(emptyDraft)).toEqual({
      title: 'The title is required',
      videos: 'The playlist needs at least one video',
    })
    const [first, second] = good.videos as [DraftVideo, DraftVideo]
    expect(errorsOf({ ...good, videos: [first, { ...second, title: ' ', duration: 'soon' }] })).toEqual({
      'videos.1.title': 'The title is required',
      'videos.1.duration': 'Give it as m:ss or h:mm:ss, below 24 hours',
    })
    expect(errorsOf({ ...good, videos: [{ ...first, duration: '0:00' }] })).toHaveProperty(['videos.0.duration'])
    expect(errorsOf({ ...good, videos: [{ ...first, duration: '24:00:01' }] })).toHaveProperty(['videos.0.duration'])
    expect(errorsOf({ ...good, description: 'x'.repeat(limits.descriptionMaxLength + 1) })).toEqual({
      description: `The description must have at most ${limits.descriptionMaxLength} characters`,
    })
  })

  test('shows what is wrong with an address at its row', () => {
    expect(fieldErrors([{ path: 'videos.2.url', message: 'must be an http(s) address' }])).toEqual({
      'videos.2.title': 'The video must be an http(s) address',
    })
  })
})

describe('a kept draft', () => {
  afterEach(() => sessionStorage.clear())

  test('comes back as it was, for its key alone', () => {
    saveDraft('mine', good)
    expect(loadDraft('mine')).toEqual(good)
    expect(loadDraft('theirs')).toEqual(emptyDraft)
  })

  test('leaves nothing behind when it is empty again', () => {
    saveDraft('mine', good)
    saveDraft('mine', emptyDraft)
    expect(sessionStorage).toHaveLength(0)
  })

  test.each(['', '{', 'null', '[]', '{"videos":3}'])('that is broken (%p) is an empty one', kept => {
    sessionStorage.setItem('mine', kept)
    expect(loadDraft('mine')).toEqual(emptyDraft)
  })
})

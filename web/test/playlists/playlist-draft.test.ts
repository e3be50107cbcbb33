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

const clipUrl = '/clips/exits-and_assembly%20point.webm'

function makeVideo(source: string): DraftVideo {
  const addition = videoFrom(source, emptyDraft)
  if (!addition.ok) throw new Error(addition.message)
  return addition.video
}

function refusalOf(source: string, draft: PlaylistDraft = emptyDraft): string {
  const addition = videoFrom(source, draft)
  if (addition.ok) throw new Error('was accepted')
  return addition.message
}

const validDraft: PlaylistDraft = {
  title: ' Safety ',
  description: '',
  videos: [
    { ...makeVideo('dQw4w9WgXcQ'), title: 'One', duration: '1:05' },
    { ...makeVideo(clipUrl), duration: '0:15', measured: 15.01 },
  ],
}

function errorsOf(draft: PlaylistDraft) {
  const result = checkDraft(draft)
  return result.ok ? {} : result.errors
}

describe('an added video', () => {
  test('is a YouTube video by id or address, without title and duration yet', () => {
    expect(makeVideo('https://youtu.be/dQw4w9WgXcQ')).toEqual({
      provider: 'youtube',
      id: 'dQw4w9WgXcQ',
      title: '',
      duration: '',
    })
  })

  test('is an own file by its address, with a title from the file name', () => {
    expect(makeVideo(clipUrl)).toMatchObject({
      provider: 'file',
      url: clipUrl,
      title: 'Exits and assembly point',
      duration: '',
    })
    expect(makeVideo('https://media.example.org/a/b/talk.m3u8?token=1')).toMatchObject({
      provider: 'file',
      title: 'Talk',
    })
  })

  test('is refused if it is neither', () => {
    expect(refusalOf('  ')).toBe('Enter a YouTube video or the address of a file')
    expect(refusalOf('javascript:alert(1)')).toMatch(/^This is neither/)
    expect(refusalOf('//evil.example/x.mp4')).toMatch(/^This is neither/)
    expect(refusalOf('https://www.youtube.com/playlist?list=PL12345')).toBe(
      'This YouTube address does not name one video',
    )
  })

  test('is refused a second time, however its address is written', () => {
    const message = 'This video is already in the playlist'
    expect(refusalOf('https://www.youtube.com/watch?v=dQw4w9WgXcQ', validDraft)).toBe(message)
    expect(refusalOf(` ${clipUrl} `, validDraft)).toBe(message)
  })

  test('has an id that the contract accepts, whatever the file’s address', () => {
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
  test('becomes the contract’s request, with the measured length where it still holds', () => {
    const result = checkDraft(validDraft)
    expect(result.ok && createPlaylist.body?.parse(result.body)).toMatchObject({
      title: 'Safety',
      description: '',
      videos: [
        { provider: 'youtube', id: 'dQw4w9WgXcQ', title: 'One', duration: 65 },
        { provider: 'file', url: clipUrl, duration: 15.01 },
      ],
    })
    expect(totalSeconds(validDraft)).toBeCloseTo(80.01, 6)
    expect(secondsOf({ ...validDraft.videos[1]!, duration: '0:14' })).toBe(14)
  })

  test('reports each error at its field', () => {
    expect(errorsOf(emptyDraft)).toEqual({
      title: 'The title is required',
      videos: 'The playlist needs at least one video',
    })
    const [firstVideo, secondVideo] = validDraft.videos as [DraftVideo, DraftVideo]
    expect(errorsOf({ ...validDraft, videos: [firstVideo, { ...secondVideo, title: ' ', duration: 'soon' }] })).toEqual(
      {
        'videos.1.title': 'The title is required',
        'videos.1.duration': 'Use m:ss or h:mm:ss, under 24 hours',
      },
    )
    expect(errorsOf({ ...validDraft, videos: [{ ...firstVideo, duration: '0:00' }] })).toHaveProperty([
      'videos.0.duration',
    ])
    expect(errorsOf({ ...validDraft, videos: [{ ...firstVideo, duration: '24:00:01' }] })).toHaveProperty([
      'videos.0.duration',
    ])
    expect(errorsOf({ ...validDraft, description: 'x'.repeat(limits.descriptionMaxLength + 1) })).toEqual({
      description: `The description must have at most ${limits.descriptionMaxLength} characters`,
    })
  })

  test('reports an error of an address at the video’s row', () => {
    expect(fieldErrors([{ path: 'videos.2.url', message: 'must be an http(s) address' }])).toEqual({
      'videos.2.title': 'The video must be an http(s) address',
    })
  })
})

describe('a stored draft', () => {
  afterEach(() => sessionStorage.clear())

  test('is restored under its own key only', () => {
    saveDraft('mine', validDraft)
    expect(loadDraft('mine')).toEqual(validDraft)
    expect(loadDraft('theirs')).toEqual(emptyDraft)
  })

  test('is removed when the draft is empty again', () => {
    saveDraft('mine', validDraft)
    saveDraft('mine', emptyDraft)
    expect(sessionStorage).toHaveLength(0)
  })

  test.each(['', '{', 'null', '[]', '{"videos":3}'])('that is broken (%p) counts as empty', stored => {
    sessionStorage.setItem('mine', stored)
    expect(loadDraft('mine')).toEqual(emptyDraft)
  })
})

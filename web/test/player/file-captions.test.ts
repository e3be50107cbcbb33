import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import type { MediaTrack } from '@watchline/contracts/media'
import { createFileCaptions } from '../../src/features/player/adapters/file-captions.ts'

const tracks: MediaTrack[] = [
  { kind: 'captions', language: 'de', url: '/media/film.de.vtt' },
  { kind: 'descriptions', language: 'en', url: '/media/film.en.descriptions.vtt' },
  { kind: 'captions', language: 'en', url: '/media/film.en.vtt' },
]
const originalFetch = globalThis.fetch
const settlePromises = () => new Promise(resolve => setTimeout(resolve))

/** jsdom has the element but reads no files, so the test gives each track its cues. */
interface FakeTextTrack {
  mode: string
  cues: { startTime: number; endTime: number; getCueAsHTML: () => Node }[] | null
}
const textTracks = new WeakMap<HTMLTrackElement, FakeTextTrack>()

beforeEach(() => {
  Object.defineProperty(HTMLTrackElement.prototype, 'track', {
    configurable: true,
    get(this: HTMLTrackElement) {
      const track = textTracks.get(this) ?? { mode: 'disabled', cues: null }
      textTracks.set(this, track)
      return track
    },
  })
})
afterEach(() => {
  globalThis.fetch = originalFetch
})

function setUp(loadTracks: (url: string) => Promise<readonly MediaTrack[]> = async () => tracks) {
  const video = document.createElement('video')
  const fileCaptions = createFileCaptions(video, loadTracks)
  return {
    video,
    fileCaptions,
    captions: fileCaptions.captions,
    modes: () =>
      Array.from(video.querySelectorAll('track'), ({ kind, srclang, track }) => `${kind} ${srclang} ${track.mode}`),
    read(url: string, ...cues: [start: number, end: number, html: string][]) {
      const element = video.querySelector<HTMLTrackElement>(`track[src="${url}"]`)!
      Object.assign(element.track, {
        cues: cues.map(([startTime, endTime, html]) => ({
          startTime,
          endTime,
          getCueAsHTML: () => Object.assign(document.createElement('p'), { innerHTML: html }),
        })),
      })
      element.dispatchEvent(new Event('load'))
    },
  }
}

describe('the captions of own files', () => {
  test('are read for the transcript, and shown only when they are switched on, in the chosen language', async () => {
    const { fileCaptions, captions, modes } = setUp()
    expect(captions.get().available).toBe(false)
    fileCaptions.load('/media/film.mp4')
    await settlePromises()
    expect(captions.get()).toMatchObject({ available: true, languages: ['de', 'en'], language: 'en' })
    expect(modes()).toEqual(['captions de disabled', 'descriptions en hidden', 'captions en hidden'])
    fileCaptions.choose({ captions: true, language: undefined })
    expect(modes()).toEqual(['captions de disabled', 'descriptions en hidden', 'captions en showing'])
    fileCaptions.choose({ captions: true, language: 'de' })
    expect(modes()).toEqual(['captions de showing', 'descriptions en hidden', 'captions en disabled'])
    expect(captions.get().language).toBe('de')
  })

  test('give plain text, without markup, empty cues and line breaks', async () => {
    const { fileCaptions, captions, read } = setUp()
    fileCaptions.load('/media/film.mp4')
    await settlePromises()
    read('/media/film.en.vtt', [0, 2, '<b>Wear</b>\nyour badge'], [2, 3, '  '], [3, 5, '<i>Ask</i> early'])
    read('/media/film.en.descriptions.vtt', [1, 2, 'A door opens.'])
    expect(captions.get().transcript).toEqual([
      { start: 0, end: 2, text: 'Wear your badge' },
      { start: 3, end: 5, text: 'Ask early' },
    ])
    expect(captions.get().descriptions).toEqual([{ start: 1, end: 2, text: 'A door opens.' }])
  })

  test('of the previous video never reach the next one', async () => {
    const answers = new Map<string, (found: readonly MediaTrack[]) => void>()
    const { fileCaptions, captions, video } = setUp(url => new Promise(resolve => answers.set(url, resolve)))
    fileCaptions.load('/media/film.mp4')
    fileCaptions.load('/media/other.mp4')
    answers.get('/media/other.mp4')!([])
    answers.get('/media/film.mp4')!(tracks)
    await settlePromises()
    expect(captions.get().available).toBe(false)
    expect(video.children).toHaveLength(0)
  })

  test('that cannot be listed are none, until the video is loaded again', async () => {
    const loadTracks = jest.fn(async (): Promise<readonly MediaTrack[]> => tracks)
    loadTracks.mockRejectedValueOnce(new Error('offline'))
    const { fileCaptions, captions } = setUp(loadTracks)
    fileCaptions.load('/media/film.mp4')
    await settlePromises()
    expect(captions.get().available).toBe(false)
    fileCaptions.load('/media/film.mp4')
    await settlePromises()
    expect(captions.get().available).toBe(true)
    fileCaptions.load('/media/film.mp4')
    expect(loadTracks).toHaveBeenCalledTimes(2)
  })

  test('are asked of this system only, and a strange answer counts as none', async () => {
    const answer = (body: unknown) => ({ ok: true, status: 200, json: async () => body }) as Response
    const fetched = jest.fn(async (_url: unknown) => answer({ tracks: [{ kind: 'captions', language: 'en' }] }))
    globalThis.fetch = fetched as never
    const video = document.createElement('video')
    const { captions, load } = createFileCaptions(video)
    load('https://media.example.org/film.mp4')
    await settlePromises()
    expect(fetched).not.toHaveBeenCalled()
    load('/media/film.mp4?part=1')
    await settlePromises()
    expect(fetched.mock.calls[0]![0]).toBe('/media/film.mp4?tracks')
    expect(captions.get().available).toBe(false)
    fetched.mockResolvedValue(answer({ tracks: [{ ...tracks[2], url: 'https://elsewhere.example/film.en.vtt' }] }))
    load('/media/strange.mp4')
    await settlePromises()
    expect(video.children).toHaveLength(0)
  })
})

import { describe, expect, test } from '@jest/globals'
import type { Video } from '@watchline/contracts/playlists'
import fc from 'fast-check'
import { readIsoDuration } from '../src/rules/iso-duration.ts'
import { mergeVideos, watchableSeconds } from '../src/rules/merge-videos.ts'
import { cleanLine, cleanText } from '../src/rules/youtube-text.ts'
import { readPlaylistUrl } from '../src/rules/youtube-url.ts'
import { importVideos, type YoutubeVideo } from '../src/rules/youtube-videos.ts'

const id = 'PLrAXtmErZgOeiKm4sgNOknGvNjby9efdf'

describe('the URL of a playlist', () => {
  const addresses = [
    `https://www.youtube.com/playlist?list=${id}`,
    `http://youtube.com/playlist?list=${id}&si=abc`,
    `youtube.com/playlist?list=${id}`,
    `www.youtube.com/playlist?list=${id}#top`,
    `  https://m.youtube.com/playlist/?list=${id}  `,
    `HTTPS://WWW.YouTube.COM/playlist?list=${id}`,
    `https://music.youtube.com/playlist?list=${id}`,
    `https://www.youtube.com/watch?v=dQw4w9WgXcQ&list=${id}&index=2`,
    `music.youtube.com/watch?v=dQw4w9WgXcQ&list=${id}`,
    `https://youtu.be/dQw4w9WgXcQ?list=${id}`,
    `youtu.be/dQw4w9WgXcQ?si=x&list=${id}`,
    `https://www.youtube-nocookie.com/embed/videoseries?list=${id}`,
    `https://www.youtube.com/embed/videoseries?list=${id}`,
    `https://www.youtube.com/embed/dQw4w9WgXcQ?list=${id}`,
    `https://www.youtube.com/live/dQw4w9WgXcQ?list=${id}`,
    `https://www.youtube.com:443/playlist?list=${id}`,
  ]
  test.each(addresses)('%s', address => {
    expect(readPlaylistUrl(address)).toEqual({ playlistId: id })
  })

  test.each(['UU_x5XG1OV2P6uZZ5FSM9Ttw', 'OLAK5uy_l1m0thk3g31NmIIz_vMIbWtyv7eZixlH0', 'PL63F0C78739B09958'])(
    'of an id such as %s',
    id => {
      expect(readPlaylistUrl(`https://www.youtube.com/playlist?list=${id}`)).toEqual({ playlistId: id })
    },
  )

  test.each([
    '',
    'safety',
    id,
    'https://www.youtube.com/',
    'https://www.youtube.com/playlist',
    'https://www.youtube.com/playlist?list=',
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    'https://youtu.be/dQw4w9WgXcQ',
    'https://www.youtube.com/playlist?list=dQw4w9WgXcQ',
    'https://www.youtube.com/playlist?list=PL',
    `https://www.youtube.com/playlist?list=${'P'.repeat(80)}`,
    `https://www.youtube.com/playlist?list=${id}%26key=x`,
    `https://www.youtube.com/playlist?list=${id}/../x`,
    `https://www.youtube.com/@somebody/playlists?list=${id}`,
    `https://vimeo.com/playlist?list=${id}`,
    `https://youtube.com.evil.example/playlist?list=${id}`,
    `https://evil.example/?u=https://www.youtube.com/playlist?list=${id}`,
    `https://evilyoutube.com/playlist?list=${id}`,
    `https://www.youtube.com@evil.example/playlist?list=${id}`,
    `https://somebody:secret@www.youtube.com/playlist?list=${id}`,
    `https://www.youtube.com:8443/playlist?list=${id}`,
    `https://evil.example\\@www.youtube.com/playlist?list=${id}`,
    `ftp://www.youtube.com/playlist?list=${id}`,
    `javascript:alert(1)//www.youtube.com/playlist?list=${id}`,
    `https://www.youtube.com/play list?list=${id}`,
    `https://[::1]/playlist?list=${id}`,
  ])('%j is not a playlist URL', text => {
    expect(readPlaylistUrl(text)).toEqual({ problem: 'This is not a YouTube playlist URL' })
  })

  test('personal lists and mixes have their own error texts', () => {
    const problemOf = (list: string) => readPlaylistUrl(`https://www.youtube.com/watch?v=dQw4w9WgXcQ&list=${list}`)
    for (const list of ['WL', 'LL', 'LM'])
      expect(problemOf(list)).toEqual({ problem: expect.stringContaining('personal list') })
    for (const list of ['RD', 'RDdQw4w9WgXcQ', 'RDMM', 'RDCLAK5uy_kmPRjHDECIcuVwnKsx2Ng7fyNgFKWNJFs'])
      expect(problemOf(list)).toEqual({ problem: expect.stringContaining('mix') })
  })

  test('any text gives an id or a problem, never an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl({ withQueryParameters: true })), text => {
        const read = readPlaylistUrl(text)
        expect('problem' in read ? read.problem : read.playlistId).toMatch(/./)
      }),
    )
  })
})

describe('an ISO 8601 duration', () => {
  test.each([
    ['PT1H2M3S', 3723],
    ['P1DT2H', 93_600],
    ['P1W', 604_800],
    ['P1W2DT3H', 788_400],
    ['PT0S', 0],
    ['P0D', 0],
    ['PT15M', 900],
    ['PT90M', 5400],
    ['PT3600S', 3600],
    ['PT12.5S', 12.5],
    ['PT12,5S', 12.5],
    ['PT1.5M', 90],
    ['P0.5D', 43_200],
    ['P1DT12H', 129_600],
  ])('%s is %d s', (text, seconds) => {
    expect(readIsoDuration(text)).toBe(seconds)
  })

  test.each([
    '',
    'P',
    'PT',
    'T1S',
    '1S',
    'P1DT',
    'PT1',
    'P1S',
    'PT1D',
    'PT1S2M',
    'PT1M1M',
    'P1Y',
    'P1M',
    'P1YT1S',
    '-PT1S',
    'PT-1S',
    'PT1.5H2M',
    'PT.5S',
    'PT1.S',
    'pt1s',
    ' PT1S',
    'PT1S\n',
    'PT1e3S',
    'PTNaNS',
    'PT99999999999999999999S',
    '10:00',
  ])('%j is not a duration', text => {
    expect(readIsoDuration(text)).toBeUndefined()
  })

  test('converts back to the original seconds', () => {
    const parts = fc.record({
      weeks: fc.nat(52),
      days: fc.nat(400),
      hours: fc.nat(100),
      minutes: fc.nat(100),
      seconds: fc.nat(100_000),
      thousandths: fc.nat(999),
    })
    fc.assert(
      fc.property(parts, ({ weeks, days, hours, minutes, seconds, thousandths }) => {
        const fraction = thousandths > 0 ? `.${String(thousandths).padStart(3, '0')}` : ''
        const part = (count: number, letter: string) => (count > 0 ? `${count}${letter}` : '')
        const time = `${part(hours, 'H')}${part(minutes, 'M')}${seconds}${fraction}S`
        const text = `P${part(weeks, 'W')}${part(days, 'D')}T${time}`
        const expected = weeks * 604_800 + days * 86_400 + hours * 3600 + minutes * 60 + seconds + thousandths / 1000
        expect(readIsoDuration(text)).toBeCloseTo(expected, 6)
      }),
    )
  })

  test('any text gives seconds or undefined, never an exception', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^P[\dTHMSDWY.,-]{0,12}$/), text => {
        const seconds = readIsoDuration(text)
        expect(seconds === undefined || (Number.isFinite(seconds) && seconds >= 0)).toBe(true)
      }),
    )
  })
})

describe('importing the videos of a playlist', () => {
  const video = (fields: Partial<YoutubeVideo> = {}): YoutubeVideo => ({
    id: 'aaaaaaaaaaa',
    title: 'A film',
    duration: 'PT10S',
    liveBroadcast: 'none',
    uploadStatus: 'processed',
    privacyStatus: 'public',
    embeddable: true,
    ageRestricted: false,
    ...fields,
  })
  const importOne = (fields: Partial<YoutubeVideo>) =>
    importVideos(['aaaaaaaaaaa'], new Map([['aaaaaaaaaaa', video(fields)]]))

  test('imports a playable video', () => {
    expect(importOne({})).toEqual({
      videos: [{ provider: 'youtube', id: 'aaaaaaaaaaa', url: null, title: 'A film', duration: 10 }],
      leftOut: 0,
    })
    expect(importOne({ privacyStatus: 'unlisted', duration: 'P1D' }).videos[0]).toMatchObject({ duration: 86_400 })
    expect(importOne({ title: ' \u0000\n ' }).videos[0]!.title).toBe('Untitled video')
  })

  test.each<[string, Partial<YoutubeVideo>]>([
    ['may not be embedded', { embeddable: false }],
    ['is for adults, which YouTube plays on its own pages only', { ageRestricted: true }],
  ])('imports a video as unavailable when it %s', (_why, fields) => {
    expect(importOne(fields)).toMatchObject({ videos: [{ id: 'aaaaaaaaaaa', unavailable: true }], leftOut: 0 })
  })

  test.each<[string, Partial<YoutubeVideo>]>([
    ['private', { privacyStatus: 'private' }],
    ['live', { liveBroadcast: 'live', duration: 'P0D' }],
    ['announced', { liveBroadcast: 'upcoming', duration: 'PT10S' }],
    ['without a length', { duration: undefined }],
    ['of no length', { duration: 'PT0S' }],
    ['of an invalid length', { duration: 'ten seconds' }],
    ['longer than a day', { duration: 'P1DT1S' }],
    ['rejected', { uploadStatus: 'rejected' }],
    ['of an invalid id', { id: '../../evil' }],
  ])('leaves a video out when %s', (_why, fields) => {
    expect(importOne(fields)).toEqual({ videos: [], leftOut: 1 })
  })

  test('keeps the playlist’s order, drops repeats and leaves out deleted videos', () => {
    const details = ['bbbbbbbbbbb', 'aaaaaaaaaaa'].map(id => [id, video({ id })] as const)
    const order = ['bbbbbbbbbbb', 'ddddddddddd', 'aaaaaaaaaaa', 'bbbbbbbbbbb', 'ddddddddddd']
    const { videos, leftOut } = importVideos(order, new Map(details))
    expect(videos.map(video => video.id)).toEqual(['bbbbbbbbbbb', 'aaaaaaaaaaa'])
    expect(leftOut).toBe(1)
  })
})

describe('merging a new reading', () => {
  const aVideo = (index: number, fields: Partial<Video> = {}): Video => ({
    provider: 'youtube',
    id: `v${index}`,
    url: null,
    title: `T${index}`,
    duration: 10 + index,
    ...fields,
  })

  test('updates titles and durations, marks missing videos, unmarks returned ones and appends new ones', () => {
    const current = [aVideo(1), aVideo(2), aVideo(3, { unavailable: true }), aVideo(4)]
    const read = [
      aVideo(9),
      aVideo(3),
      aVideo(1, { title: 'New', duration: 99 }),
      aVideo(8),
      aVideo(4, { unavailable: true }),
    ]
    expect(mergeVideos(current, read)).toEqual([
      aVideo(1, { title: 'New', duration: 99 }),
      aVideo(2, { unavailable: true }),
      aVideo(3),
      aVideo(4, { unavailable: true }),
      aVideo(9),
      aVideo(8),
    ])
  })

  const lists = fc.uniqueArray(
    fc.record({ index: fc.nat(30), unavailable: fc.boolean(), duration: fc.integer({ min: 1, max: 100 }) }),
    { selector: video => video.index, maxLength: 20 },
  )
  const toVideos = (list: { index: number; unavailable: boolean; duration: number }[]) =>
    list.map(({ index, unavailable, duration }) => aVideo(index, { duration, ...(unavailable && { unavailable }) }))

  test('keeps every id and index, contains each read video once, and is idempotent', () => {
    fc.assert(
      fc.property(lists, lists, (currentList, sourceList) => {
        const current = toVideos(currentList)
        const read = toVideos(sourceList)
        const merged = mergeVideos(current, read)
        const ids = merged.map(video => video.id)
        expect(ids.slice(0, current.length)).toEqual(current.map(video => video.id))
        expect(new Set(ids).size).toBe(ids.length)
        for (const video of read) expect(merged).toContainEqual(video)
        for (const video of merged) expect(read.includes(video) || video.unavailable === true).toBe(true)
        expect(mergeVideos(merged, read)).toEqual(merged)
      }),
    )
  })

  test('the total duration counts playable videos only', () => {
    expect(watchableSeconds([aVideo(1), aVideo(2, { unavailable: true }), aVideo(3)])).toBe(24)
    expect(watchableSeconds([])).toBe(0)
  })
})

describe('text from YouTube', () => {
  test('loses characters that hide text or reverse its direction', () => {
    expect(cleanLine('  a\u0000b\u202Ec\u2066d\n e\t\tf\u007f ', 50)).toBe('abcd e f')
    expect(cleanText(' one\r\n\ttwo\u0007 ', 50)).toBe('one\r\n\ttwo')
  })

  test('is cut at the limit, never inside a character', () => {
    expect(cleanLine('x'.repeat(300), 200)).toHaveLength(200)
    expect(cleanLine(`${'x'.repeat(199)}😀`, 200)).toBe('x'.repeat(199))
    expect(cleanLine(`${'x'.repeat(198)}😀y`, 200)).toBe(`${'x'.repeat(198)}😀`)
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (text, max) => {
        const clean = cleanLine(text, max)
        expect(clean.length).toBeLessThanOrEqual(max)
        expect(clean.isWellFormed()).toBe(true)
        expect(clean).toBe(clean.trim())
      }),
    )
  })
})

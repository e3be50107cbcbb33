import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { firstVariant, hlsDuration, readMediaDuration } from '../../src/features/playlists/draft/media-duration.ts'
import { isFileMissing } from '../../src/features/playlists/draft/missing-file.ts'

const masterPlaylist = [
  '#EXTM3U',
  '#EXT-X-STREAM-INF:BANDWIDTH=800000',
  '# a comment',
  '',
  'low/index.m3u8',
  'high.m3u8',
].join('\n')
const segments = ['#EXTM3U', '#EXTINF:9.009,', 'a.ts', '#EXTINF:9.009,', 'b.ts', '#EXTINF:3.003', 'c.ts']

describe('the length of an HLS stream', () => {
  test('is the sum of its segments', () => {
    expect(hlsDuration([...segments, '#EXT-X-ENDLIST'].join('\r\n'))).toBeCloseTo(21.021, 3)
  })

  test('is unknown for a live stream and for other content', () => {
    expect(hlsDuration(segments.join('\n'))).toBeUndefined()
    expect(hlsDuration('#EXTM3U\n#EXT-X-ENDLIST')).toBeUndefined()
    expect(hlsDuration('<html></html>')).toBeUndefined()
  })

  test('of a master playlist is in its first variant', () => {
    expect(firstVariant(masterPlaylist)).toBe('low/index.m3u8')
    expect(firstVariant(segments.join('\n'))).toBeUndefined()
  })
})

describe('a file', () => {
  afterEach(() => {
    jest.restoreAllMocks()
  })
  const isMissingFor = (answer: () => Promise<Response>) => {
    jest.spyOn(globalThis, 'fetch').mockImplementation(answer)
    return isFileMissing('/clips/a.webm', new AbortController().signal)
  }

  test('is missing if its server says so, or answers with a page', async () => {
    expect(await isMissingFor(async () => new Response(null, { status: 404 }))).toBe(true)
    const page = new Response(null, { headers: { 'content-type': 'text/html; charset=utf-8' } })
    expect(await isMissingFor(async () => page)).toBe(true)
  })

  test('is not called missing without a clear answer', async () => {
    const film = new Response(null, { headers: { 'content-type': 'video/webm' } })
    expect(await isMissingFor(async () => film)).toBe(false)
    expect(await isMissingFor(async () => new Response(null, { status: 403 }))).toBe(false)
    expect(await isMissingFor(() => Promise.reject(new TypeError('Failed to fetch')))).toBe(false)
  })
})

describe('a file that the content security policy keeps out', () => {
  afterEach(() => {
    jest.restoreAllMocks()
  })
  const violate = (blockedURI: string, effectiveDirective: string) =>
    document.dispatchEvent(Object.assign(new Event('securitypolicyviolation'), { blockedURI, effectiveDirective }))

  /** Reads the length while the browser blocks this address. */
  async function readWhileBlocked(url: string, blockedURI: string, directive = 'media-src') {
    const video = document.createElement('video')
    jest.spyOn(video, 'load').mockImplementation(() => {})
    jest.spyOn(document, 'createElement').mockReturnValueOnce(video)
    jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(null, { status: 403 }))
    const duration = readMediaDuration(url, new AbortController().signal)
    violate(blockedURI, directive)
    video.dispatchEvent(new Event('error'))
    return duration
  }

  test.each(['', '#t=10'])('is blocked, with the end %p of its address', async end => {
    const url = 'https://media.example.org/talk.mp4'
    expect(await readWhileBlocked(`${url}${end}`, url)).toBe('blocked')
  })

  test('is only unreadable if this page may not ask for another file, or for itself, of its host', async () => {
    const url = 'https://media.example.org/talk.mp4'
    for (const blockedURI of [url, 'https://media.example.org/other.mp4'])
      expect(await readWhileBlocked(url, blockedURI, 'connect-src')).toBeUndefined()
    expect(await readWhileBlocked(url, 'https://media.example.org/other.mp4')).toBeUndefined()
  })

  test('is only unreadable if another host is blocked', async () => {
    for (const other of [
      'https://media.example.org.evil.example/talk.mp4',
      'inline',
      'https://media.example.org:8443/',
    ])
      expect(await readWhileBlocked('https://media.example.org/talk.mp4', other)).toBeUndefined()
  })

  test('is blocked also if it is an HLS stream', async () => {
    const url = 'https://media.example.org/talk.m3u8'
    jest.spyOn(globalThis, 'fetch').mockImplementation(async () => {
      violate(url, 'connect-src')
      throw new TypeError('Failed to fetch')
    })
    expect(await readMediaDuration(url, new AbortController().signal)).toBe('blocked')
  })

  test('is blocked if it is an HLS stream with a variant that is kept out', async () => {
    const variant = 'https://media.example.org/low/index.m3u8'
    jest.spyOn(globalThis, 'fetch').mockImplementation(async input => {
      if (String(input) !== variant) return new Response(masterPlaylist)
      violate(variant, 'connect-src')
      throw new TypeError('Failed to fetch')
    })
    expect(await readMediaDuration('https://media.example.org/talk.m3u8', new AbortController().signal)).toBe('blocked')
  })
})

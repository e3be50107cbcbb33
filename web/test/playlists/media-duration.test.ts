import { describe, expect, test } from '@jest/globals'
import { firstVariant, hlsDuration } from '../../src/features/playlists/draft/media-duration.ts'

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

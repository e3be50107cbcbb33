import { expect, test } from '@jest/globals'
import { describeRefresh } from '../../src/features/playlists/detail/describe-refresh.ts'
import { aPlaylist } from '../support/playlists.ts'

const before = aPlaylist()
const [one, two] = before.videos as [(typeof before.videos)[0], (typeof before.videos)[0]]

test.each([
  ['Nothing has changed.', [one, two]],
  ['1 new video.', [one, { ...one, id: 'new' }, two]],
  [
    '2 titles or lengths changed.',
    [
      { ...one, title: 'Another' },
      { ...two, duration: 1 },
    ],
  ],
  [
    '2 videos can no longer be played.',
    [
      { ...one, unavailable: true },
      { ...two, unavailable: true },
    ],
  ],
])('reading a playlist anew brought: %s', (words, videos) => {
  expect(describeRefresh(before, { ...before, videos })).toBe(words)
})

test('a video that is back is told, too', () => {
  const lost = { ...before, videos: [{ ...one, unavailable: true }, two] }
  expect(describeRefresh(lost, before)).toBe('1 video can be played again.')
})

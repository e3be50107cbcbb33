import { expect, test } from '@jest/globals'
import { describeRefresh } from '../../src/features/playlists/detail/describe-refresh.ts'
import { makePlaylist } from '../support/playlists.ts'

const playlist = makePlaylist()
const [firstVideo, secondVideo] = playlist.videos as [(typeof playlist.videos)[0], (typeof playlist.videos)[0]]

test.each([
  ['Nothing has changed.', [firstVideo, secondVideo]],
  ['1 new video.', [firstVideo, { ...firstVideo, id: 'new' }, secondVideo]],
  [
    '2 titles or lengths changed.',
    [
      { ...firstVideo, title: 'Another' },
      { ...secondVideo, duration: 1 },
    ],
  ],
  [
    '2 videos can no longer be played.',
    [
      { ...firstVideo, unavailable: true },
      { ...secondVideo, unavailable: true },
    ],
  ],
])('the summary of a refresh: %s', (summary, videos) => {
  expect(describeRefresh(playlist, { ...playlist, videos })).toBe(summary)
})

test('a video that can be played again is counted', () => {
  const changedPlaylist = { ...playlist, videos: [{ ...firstVideo, unavailable: true }, secondVideo] }
  expect(describeRefresh(changedPlaylist, playlist)).toBe('1 video can be played again.')
})

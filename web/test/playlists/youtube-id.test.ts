import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { parseYoutubeId } from '../../src/features/playlists/draft/youtube-id.ts'

const id = fc.stringMatching(/^[\w-]{11}$/)
const ways = (given: string) => [
  given,
  ` ${given}\n`,
  `https://www.youtube.com/watch?v=${given}`,
  `http://youtube.com/watch?list=PL123&v=${given}&t=42s`,
  `www.youtube.com/watch?v=${given}#top`,
  `https://m.youtube.com/watch?v=${given}`,
  `https://music.youtube.com/watch?v=${given}`,
  `https://youtu.be/${given}`,
  `youtu.be/${given}?si=abc&t=3`,
  `https://www.youtube.com/shorts/${given}`,
  `https://www.youtube.com/shorts/${given}/?feature=share`,
  `https://www.youtube.com/embed/${given}?rel=0`,
  `https://www.youtube-nocookie.com/embed/${given}`,
  `https://www.youtube.com/live/${given}`,
]

describe('the id of a YouTube video', () => {
  test('is found in every usual address of it', () => {
    fc.assert(
      fc.property(id, given => {
        for (const way of ways(given)) expect([way, parseYoutubeId(way)]).toEqual([way, given])
      }),
    )
  })

  test.each([
    '',
    'hello',
    'twelve-chars',
    'https://www.youtube.com/',
    'https://www.youtube.com/@somebody',
    'https://www.youtube.com/playlist?list=PLabcdefghij',
    'https://www.youtube.com/watch?v=short',
    'https://www.youtube.com/watch',
    'https://youtu.be/',
    'https://example.org/watch?v=dQw4w9WgXcQ',
    'https://youtube.com.example.org/watch?v=dQw4w9WgXcQ',
    'https://notyoutube.com/embed/dQw4w9WgXcQ',
    'javascript:alert(1)//youtu.be/dQw4w9WgXcQ',
    'ftp://youtu.be/dQw4w9WgXcQ',
  ])('is not in %p', given => {
    expect(parseYoutubeId(given)).toBeUndefined()
  })

  test('whatever is given, the answer is an id or nothing', () => {
    fc.assert(fc.property(fc.string(), given => /^[\w-]{11}$/.test(parseYoutubeId(given) ?? '___________')))
    fc.assert(fc.property(fc.webUrl(), given => /^[\w-]{11}$/.test(parseYoutubeId(given) ?? '___________')))
  })
})

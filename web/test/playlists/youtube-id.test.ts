import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { parseYoutubeId } from '../../src/features/playlists/draft/youtube-id.ts'

const anyVideoId = fc.stringMatching(/^[\w-]{11}$/)
const addressesOf = (id: string) => [
  id,
  ` ${id}\n`,
  `https://www.youtube.com/watch?v=${id}`,
  `http://youtube.com/watch?list=PL123&v=${id}&t=42s`,
  `www.youtube.com/watch?v=${id}#top`,
  `https://m.youtube.com/watch?v=${id}`,
  `https://music.youtube.com/watch?v=${id}`,
  `https://youtu.be/${id}`,
  `youtu.be/${id}?si=abc&t=3`,
  `https://www.youtube.com/shorts/${id}`,
  `https://www.youtube.com/shorts/${id}/?feature=share`,
  `https://www.youtube.com/embed/${id}?rel=0`,
  `https://www.youtube-nocookie.com/embed/${id}`,
  `https://www.youtube.com/live/${id}`,
]

describe('the id of a YouTube video', () => {
  test('is found in every usual address', () => {
    fc.assert(
      fc.property(anyVideoId, id => {
        for (const address of addressesOf(id)) expect([address, parseYoutubeId(address)]).toEqual([address, id])
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
  ])('is not found in %p', input => {
    expect(parseYoutubeId(input)).toBeUndefined()
  })

  test('is valid or undefined for any input', () => {
    fc.assert(fc.property(fc.string(), input => /^[\w-]{11}$/.test(parseYoutubeId(input) ?? '___________')))
    fc.assert(fc.property(fc.webUrl(), input => /^[\w-]{11}$/.test(parseYoutubeId(input) ?? '___________')))
  })
})

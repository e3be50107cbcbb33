import { afterEach, expect, test } from '@jest/globals'
import { cleanup, fireEvent, render } from '@testing-library/react'
import { VideoPoster } from '../../../src/ui/progress/video-poster.tsx'

afterEach(cleanup)

function renderPoster(...[props]: Parameters<typeof VideoPoster>) {
  const { container } = render(<VideoPoster {...props} />)
  return {
    source: () => container.querySelector('img, video')?.getAttribute('src') ?? null,
    fail: () => fireEvent.error(container.querySelector('img, video')!),
    hasSign: () => container.querySelector('svg') !== null,
  }
}

test('the poster of a YouTube video is YouTube’s cover, from the own server', () => {
  const poster = renderPoster({ video: { id: 'abc_-123', provider: 'youtube' } })
  expect(poster.source()).toBe(`${window.location.origin}/api/playlists/covers/abc_-123?size=small`)
  poster.fail()
  expect([poster.source(), poster.hasSign()]).toEqual([null, true])
})

test('the poster of an own video is the picture beside it, else its first frame, else a play sign', () => {
  const poster = renderPoster({ video: { id: 'v0', provider: 'file', url: '/media/film.mp4' } })
  expect(poster.source()).toBe('/media/film.mp4?poster')
  poster.fail()
  expect(poster.source()).toBe('/media/film.mp4#t=0.5')
  poster.fail()
  expect([poster.source(), poster.hasSign()]).toEqual([null, true])
})

test('over the video itself only a picture is shown', () => {
  const poster = renderPoster({ video: { id: 'v0', provider: 'file', url: '/media/film.mp4' }, picturesOnly: true })
  expect(poster.source()).toBe('/media/film.mp4?poster')
  poster.fail()
  expect([poster.source(), poster.hasSign()]).toEqual([null, false])
})

test('a video elsewhere has no picture beside it', () => {
  expect(renderPoster({ video: { id: 'v0', provider: 'file', url: 'https://films.example/a.mp4' } }).source()).toBe(
    'https://films.example/a.mp4#t=0.5',
  )
})

test('an own video is loaded by the address of this login session, and keeps the first one', () => {
  const video = { id: 'v0', provider: 'file', url: '/media/film.mp4' } as const
  const { container, rerender } = render(<VideoPoster video={{ ...video, media_url: '/media/~one/film.mp4' }} />)
  const source = () => container.querySelector('img, video')?.getAttribute('src')
  expect(source()).toBe('/media/~one/film.mp4?poster')
  rerender(<VideoPoster video={{ ...video, media_url: '/media/~two/film.mp4' }} />)
  expect(source()).toBe('/media/~one/film.mp4?poster')
  rerender(<VideoPoster video={{ ...video, url: '/media/other.mp4', media_url: '/media/~two/other.mp4' }} />)
  expect(source()).toBe('/media/~two/other.mp4?poster')
})

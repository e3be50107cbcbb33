import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isInMediaScope, mediaScopeOf } from '../src/media-scope.ts'

const covers = (video: string, path: string) => isInMediaScope(path, mediaScopeOf(video))

test.each([
  'a.m3u8',
  'a.ts',
  'a.mp4',
  'a.jpg',
  'a.en.vtt',
  'a0.ts',
  'a_001.ts',
  'a-00012.m4s',
  'a_init.mp4',
  'a_720p.m3u8',
  'a_720p_001.ts',
  'a_720p.mp4',
  'a_0.m3u8',
  'a_v1_00003.ts',
  'a-audio.m3u8',
  'a-audio-12.aac',
  'a_1080.m3u8',
  'a_1080.mp4',
  'a_800.key',
  'a_hd.m3u8',
  'a_hd_001.ts',
  'a_en.m3u8',
  'a_audio_en.m3u8',
  'a_vtt.m3u8',
  'a_init_0.mp4',
  'a_poster.jpg',
  'a.key',
])('an HLS video directly in the folder of all videos has the file %s', path => {
  expect(covers('a.m3u8', path)).toBe(true)
})

test.each([
  'academy/secret.mp4',
  'a/secret.mp4',
  'a_1/secret.ts',
  'academy.m3u8',
  'academy.mp4',
  'academy0.ts',
  'a-internal.mp4',
  'a-internal.m3u8',
  'a-internal-001.ts',
  'a-2.mp4',
  'a2.mp4',
  'a2.m3u8',
  'a-other.jpg',
  'b.m3u8',
])('it does not have %s', path => {
  expect(covers('a.m3u8', path)).toBe(false)
})

test('no video outside a folder opens a file in one', () => {
  const name = fc.stringMatching(/^[a-z0-9_-]{1,8}(\.(m3u8|ts|mp4|vtt))?$/)
  fc.assert(
    fc.property(name, name, name, (video, folder, file) => {
      expect(covers(video, `${folder}/${file}`)).toBe(false)
    }),
  )
})

test('an HLS video in a folder has that folder, and no other', () => {
  expect(covers('talk/main.m3u8', 'talk/low/1.ts')).toBe(true)
  expect(covers('talk/main.m3u8', 'talks/1.ts')).toBe(false)
  expect(covers('talk/main.m3u8', 'talk.mp4')).toBe(false)
})

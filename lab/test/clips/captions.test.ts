import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { projectRoot } from '../../../tools/src/provision/paths.ts'
import { formatWebVtt } from '../../src/clips/captions.ts'
import { programme } from '../../src/clips/programme.ts'

const readTrack = (name: string) => readFileSync(join(projectRoot, 'tools/clips', name), 'utf8')

test('captions share the length of the clip equally', () => {
  expect(formatWebVtt(['Ask early', 'Every question is welcome', 'Thank you'], 80)).toBe(
    'WEBVTT\n\n00:00.000 --> 00:26.667\nAsk early\n\n' +
      '00:26.667 --> 00:53.333\nEvery question is welcome\n\n00:53.333 --> 01:20.000\nThank you\n',
  )
})

test('the captions of the clips in the repository are those of the programme', () => {
  for (const { file, points, seconds } of programme.flatMap(({ clips }) => clips))
    expect(readTrack(file.replace(/\.webm$/, '.en.vtt'))).toBe(formatWebVtt(points, seconds))
  expect(readTrack('your-first-day.de.vtt')).toContain('Führungskraft')
  expect(readTrack('your-first-day.en.descriptions.vtt')).toContain('The first line is marked.')
})

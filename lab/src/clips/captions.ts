import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clip } from './programme.ts'

/** Writes the WebVTT files of a clip beside it: captions by language, and audio descriptions. */
export function writeCaptions(clip: Clip, folder: string): void {
  const name = clip.file.replace(/\.webm$/, '')
  const texts = {
    en: clip.points,
    ...clip.translations,
    ...(clip.descriptions && { 'en.descriptions': clip.descriptions }),
  }
  for (const [track, lines] of Object.entries(texts))
    writeFileSync(join(folder, `${name}.${track}.vtt`), formatWebVtt(lines, clip.seconds))
}

/** The lines share the length equally, as the points of a clip do. */
export function formatWebVtt(lines: readonly string[], seconds: number): string {
  const cues = lines.map((line, index) => {
    const [start, end] = [index, index + 1].map(part => formatTime((seconds * part) / lines.length))
    return `${start} --> ${end}\n${line}\n`
  })
  return ['WEBVTT\n', ...cues].join('\n')
}

function formatTime(seconds: number): string {
  const ms = Math.round(seconds * 1_000)
  const [minutes, rest] = [Math.floor(ms / 60_000), ms % 60_000]
  return `${String(minutes).padStart(2, '0')}:${(rest / 1_000).toFixed(3).padStart(6, '0')}`
}

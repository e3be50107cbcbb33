/**
 * Makes the demo organisation's clips and clips.json beside this file: `node lab/src/clips/make-clips.ts`. The results are in the
 * repository; this runs only when programme, picture or sound change, on Debian with the packages ffmpeg and fonts-inter.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filterGraph, fontFiles, fontPackage, picture } from './picture.ts'
import { type Clip, type Playlist, programme } from './programme.ts'
import { samplesPerSecond, sound } from './sound.ts'

const limits = { totalBytes: 2_000_000, secondsBetweenKeyframes: 2 }
const here = import.meta.dirname

requireTools()
const words = mkdtempSync(join(tmpdir(), 'watchline-clips-'))
try {
  const playlists = programme.map(playlist => ({
    title: playlist.title,
    description: playlist.description,
    clips: playlist.clips.map((clip, index) => {
      encode(clip, playlist, index)
      const duration = durationOf(clip.file)
      console.log(`${clip.file}  ${duration} s  ${Math.round(bytesOf(clip) / 1000)} kB`)
      return { file: clip.file, title: clip.title, duration }
    }),
  }))
  writeFileSync(join(here, 'clips.json'), `${JSON.stringify({ playlists }, null, 2)}\n`)
} finally {
  rmSync(words, { recursive: true })
}

const total = programme.flatMap(playlist => playlist.clips).reduce((sum, clip) => sum + bytesOf(clip), 0)
console.log(`together ${Math.round(total / 1000)} kB`)
if (total > limits.totalBytes) stop(`The clips are larger than the ${limits.totalBytes} bytes they may have together.`)

function encode(clip: Clip, playlist: Playlist, index: number): void {
  const graph = join(words, 'graph.txt')
  const heading = { playlist: playlist.title, number: index + 1, of: playlist.clips.length }
  writeFileSync(graph, filterGraph(clip, heading, words))
  const keyframeEvery = picture.framesPerSecond * limits.secondsBetweenKeyframes
  // biome-ignore format: option and value side by side
  run('ffmpeg', [
    '-hide_banner', '-loglevel', 'error', '-y',
    '-f', 'f32le', '-ar', `${samplesPerSecond}`, '-ac', '1', '-i', 'pipe:0',
    '-filter_complex_script', graph, '-map', '[picture]', '-map', '0:a',
    '-c:v', 'libvpx-vp9', '-crf', '38', '-b:v', '0', '-deadline', 'good', '-cpu-used', '1', '-tune-content', 'screen', '-row-mt', '1', '-threads', '2',
    '-g', `${keyframeEvery}`, '-keyint_min', `${keyframeEvery}`,
    '-c:a', 'libopus', '-b:a', '28k',
    // without the writer's version and random ids the same programme gives the same bytes
    '-fflags', '+bitexact', '-flags:v', '+bitexact', '-flags:a', '+bitexact', '-map_metadata', '-1',
    '-metadata', `title=${clip.title}`, '-cues_to_front', '1', '-t', `${clip.seconds}`,
    '-colorspace', 'smpte170m', '-color_primaries', 'smpte170m', '-color_trc', 'smpte170m', '-color_range', 'tv',
    '-f', 'webm', join(here, clip.file),
  ], new Uint8Array(sound(playlist.tonic, clip.seconds).buffer))
}

function durationOf(file: string): number {
  const printed = run('ffprobe', [
    '-v',
    'error',
    '-show_entries',
    'format=duration',
    '-of',
    'csv=p=0',
    join(here, file),
  ])
  return Math.round(Number(printed) * 100) / 100
}

function bytesOf(clip: Clip): number {
  return statSync(join(here, clip.file)).size
}

function requireTools(): void {
  const missing: string[] = []
  if (spawnSync('ffmpeg', ['-version']).error || spawnSync('ffprobe', ['-version']).error) missing.push('ffmpeg')
  if (!fontFiles.every(file => existsSync(file))) missing.push(fontPackage)
  if (missing.length > 0) stop(`Missing on this machine. On Debian: apt-get install ${missing.join(' ')}`)
}

function run(command: string, args: readonly string[], input?: Uint8Array): string {
  const result = spawnSync(command, args, { input, encoding: 'utf8' })
  if (result.status !== 0) stop(`${command} failed: ${result.stderr || result.error}`)
  return result.stdout
}

function stop(message: string): never {
  console.error(message)
  process.exit(1)
}

/*
 * Makes the demo organisation's clips, their captions and clips.json in tools/clips: `node
 * lab/src/clips/make-clips.ts [file]...`; with files it encodes only these. The results are in the
 * repository. Run this only after a change of programme, picture or sound, on Debian with the
 * packages ffmpeg and fonts-inter.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../../../tools/src/provision/paths.ts'
import { writeCaptions } from './captions.ts'
import { encodingOf, filterGraph, fontFiles, fontPackage } from './picture.ts'
import { type Clip, type Playlist, programme } from './programme.ts'
import { samplesPerSecond, sound } from './sound.ts'

const limits = { totalBytes: 3_500_000 }
const chosenFiles = process.argv.slice(2)
const outputFolder = join(projectRoot, 'tools/clips')

requireTools()
const textFolder = mkdtempSync(join(tmpdir(), 'watchline-clips-'))
try {
  const playlists = programme.map(playlist => ({
    title: playlist.title,
    description: playlist.description,
    clips: playlist.clips.map((clip, index) => {
      if (chosenFiles.length === 0 || chosenFiles.includes(clip.file)) encode(clip, playlist, index)
      writeCaptions(clip, outputFolder)
      const duration = durationOf(clip.file)
      console.log(`${clip.file}  ${duration} s  ${Math.round(bytesOf(clip) / 1000)} kB`)
      return { file: clip.file, title: clip.title, duration }
    }),
  }))
  writeFileSync(join(outputFolder, 'clips.json'), `${JSON.stringify({ playlists }, null, 2)}\n`)
} finally {
  rmSync(textFolder, { recursive: true })
}

const total = programme.flatMap(playlist => playlist.clips).reduce((sum, clip) => sum + bytesOf(clip), 0)
console.log(`total ${Math.round(total / 1000)} kB`)
if (total > limits.totalBytes) stop(`All clips together are larger than ${limits.totalBytes} bytes.`)

function encode(clip: Clip, playlist: Playlist, index: number): void {
  const graph = join(textFolder, 'graph.txt')
  const heading = { playlist: playlist.title, number: index + 1, count: playlist.clips.length }
  writeFileSync(graph, filterGraph(clip, heading, textFolder))
  const { framesPerSecond, secondsBetweenKeyframes, soundBitrate } = encodingOf(clip.seconds)
  const keyframeEvery = framesPerSecond * secondsBetweenKeyframes
  // biome-ignore format: option and value side by side
  run('ffmpeg', [
    '-hide_banner', '-loglevel', 'error', '-y',
    '-f', 'f32le', '-ar', `${samplesPerSecond}`, '-ac', '1', '-i', 'pipe:0',
    '-filter_complex_script', graph, '-map', '[picture]', '-map', '0:a',
    '-c:v', 'libvpx-vp9', '-crf', '38', '-b:v', '0', '-deadline', 'good', '-cpu-used', '1', '-tune-content', 'screen', '-row-mt', '1', '-threads', '2',
    '-g', `${keyframeEvery}`, '-keyint_min', `${keyframeEvery}`,
    '-c:a', 'libopus', '-b:a', soundBitrate,
    // Without the writer's version and random ids, so that the same programme gives the same bytes.
    '-fflags', '+bitexact', '-flags:v', '+bitexact', '-flags:a', '+bitexact', '-map_metadata', '-1',
    '-metadata', `title=${clip.title}`, '-cues_to_front', '1', '-t', `${clip.seconds}`,
    '-colorspace', 'smpte170m', '-color_primaries', 'smpte170m', '-color_trc', 'smpte170m', '-color_range', 'tv',
    '-f', 'webm', join(outputFolder, clip.file),
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
    join(outputFolder, file),
  ])
  return Math.round(Number(printed) * 100) / 100
}

function bytesOf(clip: Clip): number {
  return statSync(join(outputFolder, clip.file)).size
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

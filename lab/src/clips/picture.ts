import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clip } from './programme.ts'

const picture = { width: 640, height: 360 }
/** From this length on (s) the clock shows no tenths, because each of them costs bytes. */
const longClipS = 60

const fontFolder = '/usr/share/fonts/opentype/inter'
const fonts = { regular: `${fontFolder}/Inter-Regular.otf`, semiBold: `${fontFolder}/Inter-SemiBold.otf` }
export const fontFiles: readonly string[] = Object.values(fonts)
export const fontPackage = 'fonts-inter'

const colour = {
  surface: '0x171d23',
  hairline: '0x3a4650',
  hollow: '0x1f272e',
  teal: '0x0f857f',
  tealText: '0x5cc4bb',
  text: '0xf1f5f7',
  quiet: '0x94a3ae',
}
const margin = 40
/** Even numbers only. Colour has half the picture's resolution, and an odd edge would bleed. */
const strip = { x: margin, y: 304, width: picture.width - 2 * margin, height: 18 }
const clockBaseline = 284
/**
 * Inter's figures are proportional. Each character of the clock has a fixed cell, so that it does
 * not jitter.
 */
const clockCell = { figure: 24, mark: 12 }

/** More points follow on further pages. */
const pointsPerPage = 3

export interface Encoding {
  /** Two frames for each figure of the clock, so that it runs evenly. */
  framesPerSecond: number
  /** A jump into the clip decodes from the key frame before it. */
  secondsBetweenKeyframes: number
  soundBitrate: string
}

/** A clip of some minutes gets fewer bytes a second. */
export function encodingOf(seconds: number): Encoding {
  return seconds < longClipS
    ? { framesPerSecond: 20, secondsBetweenKeyframes: 2, soundBitrate: '28k' }
    : { framesPerSecond: 4, secondsBetweenKeyframes: 10, soundBitrate: '14k' }
}

interface Heading {
  playlist: string
  number: number
  count: number
}

/**
 * The filter graph that draws a clip. Its output has the label `picture`. Texts go through files in
 * `folder`, because the filter language would need escaping.
 */
export function filterGraph(clip: Clip, heading: Heading, folder: string): string {
  let files = 0
  const words = (text: string, options: Record<string, string | number>) => {
    const file = join(folder, `words-${files++}.txt`)
    writeFileSync(file, text)
    return filter('drawtext', { ...options, textfile: file, expansion: 'none' })
  }
  const { seconds } = clip
  const { framesPerSecond } = encodingOf(seconds)
  const share = seconds / clip.points.length

  const drawing = [
    words(heading.playlist, text(fonts.semiBold, 16, colour.tealText, margin, 52)),
    words(
      `${heading.number} of ${heading.count}`,
      text(fonts.regular, 16, colour.quiet, `${picture.width - margin}-tw`, 52),
    ),
    words(clip.title, text(fonts.semiBold, 34, colour.text, margin, 98)),
    ...clip.points.flatMap((point, index) => {
      const baseline = 147 + (index % pointsPerPage) * 34
      const firstOnPage = index - (index % pointsPerPage)
      const page = during(firstOnPage * share, (firstOnPage + pointsPerPage) * share)
      const now = during(index * share, (index + 1) * share)
      const quiet = clip.points.length > pointsPerPage ? `${page}*not(${now})` : `not(${now})`
      return [
        words(point, { ...text(fonts.regular, 20, colour.quiet, margin + 18, baseline), enable: quiet }),
        words(point, { ...text(fonts.regular, 20, colour.text, margin + 18, baseline), enable: now }),
        filter('drawbox', { ...box(margin, baseline - 17, 4, 22), color: colour.tealText, t: 'fill', enable: now }),
      ]
    }),
    ...clock(words, seconds),
    words(minutes(seconds), text(fonts.regular, 20, colour.quiet, `${picture.width - margin}-tw`, clockBaseline)),
    filter('drawbox', {
      ...box(strip.x - 2, strip.y - 2, strip.width + 4, strip.height + 4),
      color: colour.hairline,
      t: 2,
    }),
  ]

  const boundaries = clip.points.slice(1).map((_, index) =>
    filter('drawbox', {
      ...box(even((strip.width * (index + 1)) / clip.points.length), 0, 2, strip.height),
      color: colour.surface,
      t: 'fill',
    }),
  )
  const surface = (color: string, width: number, height: number) =>
    filter('color', { c: color, s: `${width}x${height}`, r: framesPerSecond, d: seconds })
  const played = `2*floor(${strip.width / 2}*t/${seconds})`

  return [
    `${surface(colour.surface, picture.width, picture.height)},${drawing.join(',')}[page]`,
    `${surface(colour.hollow, strip.width, strip.height)}[track]`,
    `${surface(colour.teal, strip.width, strip.height)}[fill]`,
    `${surface(colour.text, 2, strip.height)}[playhead]`,
    `[track][fill]${filter('overlay', { x: `${played}-${strip.width}`, y: 0 })},${boundaries.join(',')}[filled]`,
    `[filled][playhead]${filter('overlay', { x: played, y: 0 })}[strip]`,
    `[page][strip]${filter('overlay', { x: strip.x, y: strip.y })},format=yuv420p[picture]`,
  ].join(';\n')
}

/** Whether a frame's time is in the range (s). */
function during(from: number, to: number): string {
  return `gte(t,${from})*lt(t,${to})`
}

/**
 * `m:ss.d`, or `m:ss` in a long clip, computed from each frame's time. The margin of 1/1000 s
 * prevents rounding down.
 */
function clock(words: (text: string, options: Record<string, string | number>) => string, seconds: number): string[] {
  const tenths = 'floor((t+0.001)*10)'
  const cells: { mark?: string; figure?: string }[] = [
    { figure: `floor(${tenths}/600)` },
    { mark: ':' },
    { figure: `mod(floor(${tenths}/100),6)` },
    { figure: `mod(floor(${tenths}/10),10)` },
    ...(seconds < longClipS ? [{ mark: '.' }, { figure: `mod(${tenths},10)` }] : []),
  ]
  let left = margin
  return cells.map(({ mark, figure }) => {
    const width = mark ? clockCell.mark : clockCell.figure
    const options = text(fonts.semiBold, 36, colour.text, `${left}+floor((${width}-tw)/2)`, clockBaseline)
    left += width
    return mark ? words(mark, options) : filter('drawtext', { ...options, text: `%{eif\\:${figure}\\:d}` })
  })
}

/**
 * drawtext positions the top of the tallest glyph. `baseline` aligns texts with different letters.
 */
function text(fontfile: string, fontsize: number, fontcolor: string, x: string | number, baseline: number) {
  return { fontfile, fontsize, fontcolor, x, y: `${baseline}-ascent` }
}

function box(x: number, y: number, w: number, h: number) {
  return { x, y, w, h }
}

function filter(name: string, options: Record<string, string | number>): string {
  return `${name}=${Object.entries(options)
    .map(([key, value]) => `${key}='${value}'`)
    .join(':')}`
}

function even(pixels: number): number {
  return 2 * Math.round(pixels / 2)
}

function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

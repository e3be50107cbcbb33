/*
 * Replaces `layout`, a private method of pdfkit's fonts, while a text with right-to-left scripts is
 * drawn: pdfkit lays out word after word from left to right. The Unicode Bidirectional Algorithm
 * (UAX 9) orders each line, as browsers do.
 */
import bidiJs, { type EmbeddingLevels } from 'bidi-js'
import type { Font, GlyphPosition } from 'fontkit'

// The types name a default export, but the package is CommonJS and exports the function itself.
const bidi = (bidiJs as unknown as typeof bidiJs.default)()

/**
 * Extended Arabic digits are left-to-right, but fontkit lays them out as letters of their script.
 */
const reversedDigit = /[\u06f0-\u06f9]/

export function hasRightToLeft(text: string): boolean {
  return reversedDigit.test(text) || findLevels(text).levels.some(level => level > 0)
}

/** In `draw`, pdfkit breaks the text into lines and draws one after the other. */
export function drawBidiText(doc: PDFKit.PDFDocument, text: string, draw: () => void) {
  const { _font: font } = doc as unknown as { _font: PdfFont }
  const { layout } = font
  const embedding = findLevels(text)
  let end = 0
  font.layout = (line, features, onlyWidth) => {
    // pdfkit only measures a word here; its width does not depend on the order.
    if (onlyWidth) return layout.call(font, line, features, onlyWidth)
    const start = end
    end += line.length
    // Without the last space: bidi-js 1.1.0 puts it at the beginning of all lines but the first.
    const runs = orderRuns(text, embedding, start, start + line.trimEnd().length).map(run => layOut(font, run))
    return { glyphs: runs.flatMap(({ glyphs }) => glyphs), positions: runs.flatMap(({ positions }) => positions) }
  }
  try {
    draw()
  } finally {
    font.layout = layout
  }
}

function findLevels(text: string): EmbeddingLevels {
  // bidi-js takes each half of a surrogate pair for a letter. Boxes are neutral, as emoji are.
  return bidi.getEmbeddingLevels(text.replace(/[\u{1f000}-\u{1faff}]/gu, '\u25a1\u25a1'), 'ltr')
}

/** Words and spaces from left to right: fontkit lays out one direction and script at a time. */
function orderRuns(text: string, embedding: EmbeddingLevels, start: number, end: number): Run[] {
  const { levels } = embedding
  const mirrored = bidi.getMirroredCharactersMap(text, levels, start, end - 1)
  const runs: Run[] = []
  let previous = -1
  for (const index of bidi.getReorderedIndices(text, embedding, start, end - 1).slice(start, end)) {
    const isRightToLeft = levels[index]! % 2 === 1
    const character = mirrored.get(index) ?? text[index]!
    const run = runs.at(-1)
    const isSameWord = text[index] !== ' ' && text[previous] !== ' ' && levels[index] === levels[previous]
    if (!run || !isSameWord || index !== previous + (isRightToLeft ? -1 : 1))
      runs.push({ text: character, direction: isRightToLeft ? 'rtl' : 'ltr' })
    else run.text = isRightToLeft ? character + run.text : run.text + character
    previous = index
  }
  return runs
}

/** As pdfkit's `layoutRun`, which has no parameter for the direction. */
function layOut({ font, scale }: PdfFont, { text, direction }: Run): PdfLayout {
  const { glyphs, positions } = font.layout(text, undefined, undefined, undefined, direction)
  return {
    glyphs,
    positions: positions.map(({ xAdvance, yAdvance, xOffset, yOffset }, index) => ({
      ...{ xAdvance: xAdvance * scale, yAdvance: yAdvance * scale, xOffset: xOffset * scale, yOffset: yOffset * scale },
      advanceWidth: glyphs[index]!.advanceWidth * scale,
    })),
  }
}

/** In logical order. */
interface Run {
  text: string
  direction: 'ltr' | 'rtl'
}

interface PdfFont {
  font: Font
  scale: number
  layout(text: string, features?: unknown, onlyWidth?: boolean): PdfLayout
}

interface PdfLayout {
  glyphs: unknown[]
  positions: (GlyphPosition & { advanceWidth: number })[]
}

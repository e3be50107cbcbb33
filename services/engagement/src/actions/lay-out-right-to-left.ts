/** Letters of Hebrew, Arabic and their neighbours. */
const letter = '[\\u0590-\\u08ff]'
const anyLetter = new RegExp(letter)
const spaceBetween = new RegExp(`(?<=${letter}\\S*) (?=\\S*${letter})`, 'g')
/** Letters with the signs between them, but not the signs around them. */
const run = new RegExp(`(${letter}(?:[^\\p{L}\\p{N}]*${letter})*)`, 'u')

export function hasRightToLeft(text: string): boolean {
  return anyLetter.test(text)
}

/**
 * pdfkit lays out word after word from left to right. Without breaking spaces, the font lays out
 * words of right-to-left scripts together, in their order.
 */
export function joinRightToLeft(text: string): string {
  return text.replace(spaceBetween, '\u00a0')
}

/**
 * The font lays out a word in one direction, with the signs and the space behind it. Without this,
 * those behind a right-to-left name would come before it. Changes the current font of the document.
 */
export function layOutRuns(doc: PDFKit.PDFDocument) {
  const { _font: font } = doc as unknown as { _font: { layoutRun(text: string): GlyphRun } }
  const layOutRun = font.layoutRun.bind(font)
  font.layoutRun = text => {
    const runs = text
      .split(run)
      .filter(Boolean)
      .map(part => layOutRun(part))
    return {
      glyphs: runs.flatMap(({ glyphs }) => glyphs),
      positions: runs.flatMap(({ positions }) => positions),
      advanceWidth: runs.reduce((sum, { advanceWidth }) => sum + advanceWidth, 0),
    }
  }
}

interface GlyphRun {
  glyphs: unknown[]
  positions: unknown[]
  advanceWidth: number
}

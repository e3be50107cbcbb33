import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { create, type Font } from 'fontkit'
import PDFDocument from 'pdfkit'
import type { Block } from '../rules/record/document-blocks.ts'
import { drawBidiText, hasRightToLeft } from './draw-bidi-text.ts'

export interface PdfDetails {
  title: string
  /** On each page, with the number of the page. */
  footer: string
  issuedAt: Date
  look: keyof typeof looks
}

/** A certificate hangs on a wall: landscape, centred, large, and framed. */
const looks = {
  record: { layout: 'portrait', align: 'left', scale: 1, top: 56, isFramed: false },
  certificate: { layout: 'landscape', align: 'center', scale: 1.5, top: 130, isFramed: true },
} as const

const margin = 56
const colors = { text: '#111111', quiet: '#4d4d4d', brand: '#0c6661' }
const headings = {
  1: { size: 20, before: 0, after: 8 },
  2: { size: 14, before: 16, after: 4 },
  3: { size: 11, before: 8, after: 2 },
} as const
const textSize = 10
const listIndent = 12
const frameMargin = 40
/** Longer texts are cut into paragraphs of this length, so that each fits a page. */
const maxTextLength = 2_000
/** After this many parts, the renderer lets other requests run. */
const partsAtOnce = 25

const boxNote =
  'The font of this file lacks some characters of names or titles and shows boxes. The JSON file has them.'

/**
 * A PDF for screen readers (PDF/UA-1): they find its language, title, headings and lists. It is
 * written page by page while it is read, and other requests are answered in between.
 */
export async function* renderPdf(blocks: Iterable<Block>, details: PdfDetails): AsyncGenerator<Uint8Array> {
  const { title, footer, issuedAt } = details
  const { layout, align, scale, top, isFramed } = looks[details.look]
  const doc = new AccessibleDocument({
    ...{
      size: 'A4',
      layout,
      margin,
      autoFirstPage: false,
      pdfVersion: '1.7',
      tagged: true,
      lang: 'en',
      displayTitle: true,
    },
    ...{ font: fonts.regular, info: { Title: title, Producer: 'Watchline', CreationDate: issuedAt } },
  })
  const root = doc.struct('Document')
  doc.addStructure(root)
  let page = 0
  let hasBoxes = false

  function addPage() {
    doc.addPage()
    page += 1
    // The footer lies in the margin, where pdfkit would begin another page.
    const { bottom } = doc.page.margins
    doc.page.margins.bottom = 0
    doc.markContent('Artifact', { type: 'Pagination' })
    if (isFramed) drawFrame(doc)
    doc.font(fonts.regular).fontSize(8).fillColor(colors.quiet)
    doc.text(`${footer} · page ${page}`, margin, doc.page.height - margin + 12, { lineBreak: false })
    doc.endMarkedContent()
    doc.page.margins.bottom = bottom
    doc.x = margin
    doc.y = top
  }

  /**
   * Draws the text on one page, never split. The structure element is complete at once, so that
   * memory is freed.
   */
  function draw(parent: PDFKit.PDFStructureElement, wrap: Wrap, logicalText: string, style: TextStyle) {
    const { font } = style
    const text = replaceMissing(logicalText, font)
    hasBoxes ||= text !== logicalText
    const [size, before, after] = [style.size * scale, style.before * scale, style.after * scale]
    const indent = align === 'center' ? frameMargin : style.indent
    const width = doc.page.width - 2 * margin - (align === 'center' ? 2 * indent : indent)
    doc.font(fonts[font]).fontSize(size)
    const available = doc.page.height - margin - doc.y - before - after
    // A heading stays with the beginning of what it heads.
    const needed = doc.heightOfString(text, { width }) + (font === 'bold' ? 3 * textSize : 0)
    if (needed <= available) doc.y += before
    else addPage()
    const y = doc.y
    const isBidi = hasRightToLeft(text)
    // Screen readers get the original text, because the glyphs contain boxes or are in visual
    // order.
    const glyphsMatchText = text === logicalText && !isBidi
    parent.add(
      wrap(doc, glyphsMatchText ? {} : { actual: logicalText }, () => {
        doc.font(fonts[font]).fontSize(size).fillColor(colors.text)
        const drawText = () => doc.text(text, margin + indent, y, { width, align })
        if (isBidi) drawBidiText(doc, text, drawText)
        else drawText()
      }),
    )
    doc.y += after
  }

  function drawBlock(block: Block): Iterable<void> {
    if (block.kind === 'heading') return drawHeading(block)
    return block.kind === 'list' ? drawList(block.items) : drawParagraph(block.text)
  }
  function* drawHeading({ level, text }: Block & { kind: 'heading' }) {
    yield draw(root, asElement(`H${level}`), text, { font: 'bold', indent: 0, ...headings[level] })
  }
  function* drawParagraph(text: string) {
    const style = { font: 'regular', size: textSize, before: 0, after: 6, indent: 0 } as const
    for (const part of cutText(text)) yield draw(root, asElement('P'), part, style)
  }
  function* drawList(items: readonly string[]) {
    const style = { font: 'regular', size: textSize, before: 0, after: 3, indent: listIndent } as const
    const list = doc.struct('L')
    root.add(list)
    for (const part of items.flatMap(cutText)) yield draw(list, asListItem, part, style)
    list.end()
    doc.y += 4
  }

  function* drawAll() {
    for (const block of blocks) yield* drawBlock(block)
    if (hasBoxes) yield* drawParagraph(boxNote)
  }

  addPage()
  let parts = 0
  for (const _ of drawAll()) {
    parts += 1
    if (parts % partsAtOnce !== 0) continue
    yield* readWritten(doc)
    await yieldToEventLoop()
  }
  root.end()
  doc.end()
  for await (const chunk of doc) yield chunk as Uint8Array
}

/**
 * pdfkit's types lack PDF/UA, and it copies the title into the XML of the metadata without escaping
 * it.
 */
class AccessibleDocument extends PDFDocument {
  override endMetadata() {
    this.appendXML(
      '<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/"><pdfuaid:part>1</pdfuaid:part></rdf:Description>',
    )
    this.info.Title = escapeXml(this.info.Title ?? '')
    super.endMetadata()
  }
}

/**
 * Escapes text for XML. U+FFFE and U+FFFF are not allowed there; control characters were removed
 * before.
 */
function escapeXml(text: string): string {
  return text
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

const box = '\u25a1'
const shapes = new Map<FontName, Font>()

/**
 * The text with a box for each character without a glyph: PDF/UA forbids the font's .notdef glyph.
 */
function replaceMissing(text: string, name: FontName): string {
  const font = shapes.get(name) ?? (create(readFileSync(fonts[name])) as Font)
  shapes.set(name, font)
  return text.replace(/[^ -~]/gu, character => (font.hasGlyphForCodePoint(character.codePointAt(0)!) ? character : box))
}

interface TextStyle {
  font: FontName
  size: number
  before: number
  after: number
  indent: number
}

type Wrap = (doc: PDFKit.PDFDocument, options: { actual?: string }, content: () => void) => PDFKit.PDFStructureElement

function asElement(tag: string): Wrap {
  return (doc, options, content) => doc.struct(tag, options, content)
}

const asListItem: Wrap = (doc, options, content) => doc.struct('LI', {}, [doc.struct('LBody', options, content)])

function drawFrame(doc: PDFKit.PDFDocument) {
  const { width, height } = doc.page
  doc.lineWidth(2).strokeColor(colors.brand)
  doc.rect(28, 28, width - 56, height - 56).stroke()
}

function* readWritten(doc: PDFKit.PDFDocument): Generator<Uint8Array> {
  for (let chunk = doc.read(); chunk !== null; chunk = doc.read()) yield chunk
}

function cutText(text: string): string[] {
  const parts: string[] = []
  let remaining = text
  while (remaining.length > maxTextLength) {
    const space = remaining.lastIndexOf(' ', maxTextLength)
    const end = space > 0 ? space : maxTextLength
    parts.push(remaining.slice(0, end))
    remaining = remaining.slice(end).trimStart()
  }
  return [...parts, remaining]
}

/** DejaVu Sans has Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew and Arabic letters. */
const fonts = { regular: findFont('DejaVuSans'), bold: findFont('DejaVuSans-Bold') }

type FontName = keyof typeof fonts

function findFont(name: string): string {
  return createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`)
}

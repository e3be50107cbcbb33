/*
 * Validates the PDFs of records and certificates against PDF/UA-1 (ISO 14289-1) with veraPDF.
 * Prints a line for each file, and exits with 1 if one breaks a rule.
 *
 * With a folder as argument the files stay there. Needs Java and Maven. The first run
 * downloads 10 MB into .cache/verapdf.
 */
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { renderIssuedPdf } from '../../../services/engagement/src/actions/render-issued-pdf.ts'
import { ProvisionError } from '../../../tools/src/provision/types.ts'
import { documents } from './documents.ts'
import { downloadVeraPdf, validate, version } from './vera-pdf.ts'

const [target] = process.argv.slice(2)
const folder = target ? resolve(target) : mkdtempSync(join(tmpdir(), 'watchline-pdf-'))
mkdirSync(folder, { recursive: true })
try {
  const jar = await downloadVeraPdf(console.log)
  const paths: string[] = []
  for (const [name, document] of Object.entries(documents)) {
    const path = join(folder, name)
    const pdf = renderIssuedPdf({ publicUrl: 'https://watchline.example.org' }, document)
    await pipeline(Readable.from(pdf), createWriteStream(path))
    paths.push(path)
  }
  const rules = await validate(jar, paths)
  let failures = 0
  for (const [path, broken] of rules) {
    const name = basename(path)
    if (broken.length > 0) failures += 1
    console.log(broken.length === 0 ? `ok   ${name}` : `FAIL ${name}: ${broken.join(', ')}`)
  }
  console.log(`${paths.length - failures} of ${paths.length} files conform to PDF/UA-1 (veraPDF ${version})`)
  process.exitCode = failures === 0 ? 0 : 1
} catch (error) {
  if (!(error instanceof ProvisionError)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  if (!target) rmSync(folder, { recursive: true, force: true })
}

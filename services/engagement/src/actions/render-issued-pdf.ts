import { erasedName } from '@watchline/contracts/people'
import type { IssuedDocument } from '@watchline/contracts/records'
import type { EngagementContext } from '../context.ts'
import { describeDocument, formatCode, titleOf } from '../rules/record/document-blocks.ts'
import { hashOf } from './seal-document.ts'

/** An issued document for reading and printing. */
export async function* renderIssuedPdf(
  { publicUrl }: Pick<EngagementContext, 'publicUrl'>,
  { record, people, seal }: IssuedDocument,
): AsyncGenerator<Uint8Array> {
  // Loaded with the first PDF: most processes never need its libraries and fonts.
  const { renderPdf } = await import('./render-pdf.ts')
  const byHash = new Map(people.map(person => [hashOf(person), person]))
  const find = (index: number) => byHash.get(record.people[index] ?? '')
  const nameOf = (index: number) => find(index)?.name ?? erasedName
  const reasonsOf = (index: number) => find(index)?.reasons ?? []
  const document = { record, seal, nameOf, reasonsOf, publicUrl }
  yield* renderPdf(describeDocument(document), {
    title: titleOf(document),
    footer: `Watchline · number ${seal.number} · code ${formatCode(record.code)}`,
    issuedAt: new Date(seal.issued_at),
    look: record.format === 'watchline.certificate.1' ? 'certificate' : 'record',
  })
}

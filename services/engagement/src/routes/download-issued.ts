import { downloadIssued as operation } from '@watchline/contracts/records'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute, StreamReply } from '@watchline/kit/http/route'
import { findRecordedPerson } from '../actions/find-recorded-person.ts'
import { renderIssuedPdf } from '../actions/render-issued-pdf.ts'
import { parseContent } from '../actions/verify-document.ts'
import type { EngagementContext } from '../context.ts'
import { exportLimit } from '../rules/rate-limits.ts'

export const downloadIssued = defineRoute(operation, async ({ params, person: caller }, ctx: EngagementContext) => {
  const stored = await ctx.issuedRecords.byCode(params.code)
  if (!stored?.personId || stored.content === null) fail('not_found')
  await findRecordedPerson(ctx, caller, stored.personId)
  await ctx.rateLimiter.count(`exports:${caller.id}`, exportLimit)
  const { seal, signature, people, content, kind, number } = stored
  const document = { record: parseContent(content), people, seal, signature }
  const name = `${kind}-${number}.${params.type}`
  return params.type === 'pdf'
    ? new StreamReply(renderIssuedPdf(ctx, document), describeFile('application/pdf', name))
    : new StreamReply([`${JSON.stringify(document)}\n`], describeFile('application/json; charset=utf-8', name))
})

function describeFile(type: string, name: string) {
  return { 'Content-Type': type, 'Content-Disposition': `attachment; filename="${name}"` }
}

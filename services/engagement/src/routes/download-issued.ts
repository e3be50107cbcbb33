import { downloadIssued as operation } from '@watchline/contracts/records'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute, StreamReply } from '@watchline/kit/http/route'
import { renderIssuedPdf } from '../actions/render-issued-pdf.ts'
import { requireVisibleDocument } from '../actions/require-visible-document.ts'
import { parseContent } from '../actions/verify-document.ts'
import type { EngagementContext } from '../context.ts'
import { exportLimit } from '../rules/rate-limits.ts'

export const downloadIssued = defineRoute(operation, async ({ params, person: caller }, ctx: EngagementContext) => {
  const stored = (await ctx.issuedRecords.byCode(params.code)) ?? fail('not_found')
  await requireVisibleDocument(ctx, caller, stored)
  await ctx.rateLimiter.count(`exports:${caller.id}`, exportLimit)
  const { seal, signature, people, kind, number } = stored
  const content = stored.content ?? fail('not_found')
  const document = { record: parseContent(content), people, seal, signature }
  const name = `${kind.replace('_', '-')}-${number}.${params.type}`
  return params.type === 'pdf'
    ? new StreamReply(renderIssuedPdf(ctx, document), describeFile('application/pdf', name))
    : new StreamReply([`${JSON.stringify(document)}\n`], describeFile('application/json; charset=utf-8', name))
})

function describeFile(type: string, name: string) {
  return { 'Content-Type': type, 'Content-Disposition': `attachment; filename="${name}"` }
}

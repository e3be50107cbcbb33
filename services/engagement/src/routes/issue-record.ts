import { issueRecord as operation } from '@watchline/contracts/records'
import { defineRoute } from '@watchline/kit/http/route'
import { findRecordedPerson } from '../actions/find-recorded-person.ts'
import { issueDocument } from '../actions/issue-document.ts'
import { loadRecord } from '../actions/load-record.ts'
import type { EngagementContext } from '../context.ts'
import { exportLimit } from '../rules/rate-limits.ts'

export const issueRecord = defineRoute(operation, async ({ params, body, person: caller }, ctx: EngagementContext) => {
  const person = await findRecordedPerson(ctx, caller, params.userId)
  await ctx.rateLimiter.count(`exports:${caller.id}`, exportLimit)
  const { people, ...content } = await loadRecord(ctx, person, body)
  const subject = ['record', body.playlist_id, body.from, body.until].map(part => part ?? '').join(':')
  return ctx.outbox.transaction(tx =>
    issueDocument(ctx, tx, { kind: 'record', personId: person.id, subject, content, people }),
  )
})

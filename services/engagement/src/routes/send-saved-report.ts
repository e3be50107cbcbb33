import { limits } from '@watchline/contracts/limits'
import { sendSavedReport as operation } from '@watchline/contracts/saved-reports'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { checkOwnerRights } from '../actions/check-owner-rights.ts'
import type { EngagementContext } from '../context.ts'
import { savedReportSendingLimit } from '../rules/rate-limits.ts'

const tooSoon = 'This report was sent less than a minute ago. Please wait a minute before you send it again.'

export const sendSavedReport = defineRoute(operation, async ({ params, body, person }, ctx: EngagementContext) => {
  const stored = await ctx.savedReports.find(params.id)
  if (stored?.ownerId !== person.id) fail('not_found')
  if (!(await checkOwnerRights(ctx, person, stored.choice))) fail('forbidden')
  const recipients = await ctx.outbox.transaction(async tx => {
    // Read again, because another replica may have sent or deleted the report.
    const report = (await ctx.savedReports.findWithSendings(params.id, tx.session)) ?? fail('not_found')
    const { id, recipientIds, sendings } = report
    const repeated = sendings.find(({ clientId }) => clientId === body.client_id)
    if (repeated) return repeated.recipients
    if (recipientIds.length === 0) fail('conflict', { detail: 'This report has no recipients. Choose some first.' })
    const now = ctx.clock.now()
    const waitMs = (sendings.at(-1)?.at.getTime() ?? 0) + limits.savedReportSendingMs - now
    if (waitMs > 0) fail('too_many', { detail: tooSoon, retryAfterS: waitMs / 1_000 })
    await ctx.rateLimiter.count(`report-sendings:${person.id}`, savedReportSendingLimit)
    const sending = { clientId: body.client_id, at: new Date(now), recipients: recipientIds.length }
    await ctx.savedReports.addSending(id, sending, tx.session)
    tx.publish('report.due', id, {
      ...{ report_id: id, due_at: sending.at.toISOString(), recipients: recipientIds },
    })
    return sending.recipients
  })
  return { success: true as const, recipients }
})

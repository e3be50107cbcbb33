import { issueCertificate as operation } from '@watchline/contracts/records'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { addCertificate, findCertifiedCompletion } from '../actions/add-certificate.ts'
import { findRecordedPerson } from '../actions/find-recorded-person.ts'
import { loadRecord } from '../actions/load-record.ts'
import type { EngagementContext } from '../context.ts'
import { exportLimit } from '../rules/rate-limits.ts'

export const issueCertificate = defineRoute(
  operation,
  async ({ params, body, person: caller }, ctx: EngagementContext) => {
    const person = await findRecordedPerson(ctx, caller, params.userId)
    await ctx.rateLimiter.count(`exports:${caller.id}`, exportLimit)
    const record = await loadRecord(ctx, person, body)
    const completion = findCertifiedCompletion(record, body.playlist_id)
    if (!completion) fail('conflict', { detail: 'This task is not completed yet.' })
    return ctx.outbox.transaction(tx => addCertificate(ctx, tx, record, completion))
  },
)

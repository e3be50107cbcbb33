import { issueCertificate as operation } from '@watchline/contracts/records'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { composeCertificate, findCertifiedCompletion, findOrAddCertificate } from '../actions/add-certificate.ts'
import { findRecordedPerson } from '../actions/find-recorded-person.ts'
import { issueDueCertificatesOf, wasAssigned } from '../actions/issue-due-certificates.ts'
import { loadRecordedTask } from '../actions/load-record.ts'
import type { EngagementContext } from '../context.ts'
import { exportLimit } from '../rules/rate-limits.ts'

/** Finds the certificate that was issued at the completion. Those of earlier versions have none. */
export const issueCertificate = defineRoute(
  operation,
  async ({ params, body: { playlist_id: playlistId }, person: caller }, ctx: EngagementContext) => {
    const person = await findRecordedPerson(ctx, caller, params.userId)
    await ctx.rateLimiter.count(`exports:${caller.id}`, exportLimit)
    const taskKey = { personId: person.id, playlistId }
    if (!(await issueDueCertificatesOf(ctx, taskKey)))
      fail('conflict', { detail: 'The certificate is not ready yet. Try again in a few minutes.', retryAfterS: 60 })
    const task = (await loadRecordedTask(ctx, person, playlistId)) ?? fail('not_found')
    if (!(await wasAssigned(ctx, taskKey))) fail('conflict', { detail: 'This playlist was never assigned.' })
    const completion = findCertifiedCompletion(task)
    if (!completion) fail('conflict', { detail: 'This task is not completed yet.' })
    const certificate = await composeCertificate(ctx, person, completion)
    return ctx.outbox.transaction(tx => findOrAddCertificate(ctx, tx, certificate))
  },
)

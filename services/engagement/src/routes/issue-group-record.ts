import { seesEverything } from '@watchline/contracts/people'
import { issueGroupRecord as operation } from '@watchline/contracts/records'
import { defineRoute } from '@watchline/kit/http/route'
import { issueDocument } from '../actions/issue-document.ts'
import { loadGroupRecord } from '../actions/load-group-record.ts'
import { hashText } from '../actions/seal-document.ts'
import type { EngagementContext } from '../context.ts'
import { exportLimit } from '../rules/rate-limits.ts'

export const issueGroupRecord = defineRoute(operation, async ({ params, body, person }, ctx: EngagementContext) => {
  // A call without rights must not count.
  await ctx.groupMembers.findGroup(params.groupId, person.id)
  await ctx.rateLimiter.count(`exports:${person.id}`, exportLimit)
  const { people, ...content } = await loadGroupRecord(ctx, person, params.groupId, body)
  // Records of supervisors and managers have other members than a director's, so none replaces
  // another.
  const viewer = seesEverything(person) ? '' : hashText(person.id)
  const { part } = content
  const subject = [
    ...['group', body.playlist_id, body.from, body.until, viewer].map(name => name ?? ''),
    ...(part ? [`${part.number} of ${part.of}`] : []),
  ].join(':')
  return ctx.outbox.transaction(tx =>
    issueDocument(ctx, tx, { kind: 'group_record', groupId: params.groupId, subject, content, people }),
  )
})

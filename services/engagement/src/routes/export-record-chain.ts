import { exportRecordChain as operation } from '@watchline/contracts/records'
import { defineRoute, StreamReply } from '@watchline/kit/http/route'
import type { EngagementContext } from '../context.ts'
import { exportLimit } from '../rules/rate-limits.ts'

export const exportRecordChain = defineRoute(operation, async ({ person }, ctx: EngagementContext) => {
  await ctx.rateLimiter.count(`exports:${person.id}`, exportLimit)
  const head = await ctx.issuedRecords.head()
  return new StreamReply(presentLines(ctx, head), {
    'Content-Type': 'application/x-ndjson; charset=utf-8',
    'Content-Disposition': `attachment; filename="record-chain-${head.seq}.jsonl"`,
  })
})

/** The seals up to the head; the last line is the head, so that a missing end shows. */
async function* presentLines({ issuedRecords }: EngagementContext, head: { seq: number; hash: string }) {
  for await (const line of issuedRecords.readSeals(head.seq)) yield `${JSON.stringify(line)}\n`
  yield `${JSON.stringify({ head: { number: head.seq, sha256: head.hash } })}\n`
}

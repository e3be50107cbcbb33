import { type ChainedAuditEntry, exportAudit as operation } from '@watchline/contracts/audit'
import { byteOrderMark, csvLine } from '@watchline/contracts/csv'
import { limits } from '@watchline/contracts/limits'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute, StreamReply } from '@watchline/kit/http/route'
import { readAuditChain } from '../actions/read-audit-chain.ts'
import type { AuthContext } from '../context.ts'

const hourMs = 3_600_000

export const exportAudit = defineRoute(operation, async ({ query, person }, ctx: AuthContext) => {
  const { format } = query
  const now = ctx.clock.now()
  const { count, resetsAt } = await ctx.live.counters.countHit(`audit-export:${person.id}`, hourMs, now)
  if (count > limits.auditExportsPerHour) fail('too_many', { retryAfterS: (resetsAt - now) / 1_000 })

  const range = await ctx.audit.findSequenceRange({
    ...(query.from !== undefined && { from: Date.parse(query.from) }),
    ...(query.until !== undefined && { until: Date.parse(query.until) }),
  })
  const entries = Math.max(0, range.last - range.first + 1)
  const after = { format, entries, from: query.from ?? null, until: query.until ?? null }
  const entry = { at: now, action: 'audit_exported', by: person, subject: null, before: {}, after } as const
  await ctx.outbox.transaction(tx => ctx.audit.add(entry, tx.session))

  const date = new Date(now).toISOString().slice(0, 10)
  return new StreamReply(formats[format](readAuditChain(ctx.audit, range)), {
    'Content-Type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
    'Content-Disposition': `attachment; filename="audit-${date}.${format}"`,
    // A file with names belongs in no cache.
    'Cache-Control': 'no-store',
  })
})

type Batches = AsyncIterable<readonly ChainedAuditEntry[]>

const formats = { jsonl: jsonLines, csv: csvLines }

async function* jsonLines(batches: Batches): AsyncGenerator<string> {
  for await (const batch of batches) yield batch.map(entry => `${JSON.stringify(entry)}\n`).join('')
}

async function* csvLines(batches: Batches): AsyncGenerator<string> {
  yield byteOrderMark + csvLine(csvHeader)
  for await (const batch of batches) yield batch.map(entry => csvLine(csvCells(entry))).join('')
}

const csvHeader = [
  'seq',
  'at',
  'action',
  'actor',
  'by_id',
  'by_name',
  'subject_id',
  'subject_name',
  'subject_email',
  'address',
  'before',
  'after',
  'prev_hash',
  'hash',
]

function csvCells({ seq, at, action, actor, by, subject, address, before, after, prev_hash, hash }: ChainedAuditEntry) {
  return [
    ...[seq, at, action, actor, by?.id ?? null, by?.name ?? null],
    ...[subject?.id ?? null, subject?.name ?? null, subject?.email ?? null, address],
    ...[JSON.stringify(before), JSON.stringify(after), prev_hash, hash],
  ]
}

import { listMessages as operation } from '@watchline/contracts/chat'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { z } from 'zod'
import { roomOf } from '../actions/find-room.ts'
import type { ChatContext } from '../context.ts'
import { pageBefore } from '../rules/sequence-numbers.ts'
import { chatFreshMs, messagesVersion } from '../rules/versions.ts'
import { presentMessage } from './presenters.ts'

const place = z.object({ before: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER) })

export const listMessages = defineRoute(
  operation,
  async ({ params, query, person }, ctx: ChatContext) => {
    const after = readCursor(query.cursor, place)
    const room = await roomOf(ctx, person, params.roomId)
    const range = room && pageBefore(room.lastSeq, after?.before, query.limit)
    if (!range) return new Reply([], { headers: pageHeaders({ total: room?.lastSeq ?? 0 }) })
    const recent = room.tail.filter(({ seq }) => seq >= range.from && seq <= range.to)
    const older = await ctx.messages.range(room.id, { from: range.from, to: recent[0] ? recent[0].seq - 1 : range.to })
    return new Reply(
      [...older, ...recent].map(each => presentMessage(room.userIds, each)),
      { headers: pageHeaders({ total: room.lastSeq, next: range.from > 1 ? { before: range.from } : undefined }) },
    )
  },
  { versions: { keys: ({ params }) => [messagesVersion(params.roomId)], maxAgeMs: chatFreshMs } },
)

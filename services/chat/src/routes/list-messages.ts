import { listMessages as operation } from '@watchline/contracts/chat'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { z } from 'zod'
import { findRoom } from '../actions/find-room.ts'
import type { ChatContext } from '../context.ts'
import { pageBefore } from '../rules/sequence-numbers.ts'
import { chatMaxAgeMs, messagesVersion } from '../rules/versions.ts'
import { presentMessage } from './presenters.ts'

const messageCursor = z.object({ before: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER) })

export const listMessages = defineRoute(
  operation,
  async ({ params, query, person }, ctx: ChatContext) => {
    const cursor = readCursor(query.cursor, messageCursor)
    const room = await findRoom(ctx, person, params.roomId)
    const range = room && pageBefore(room.lastNumber, cursor?.before, query.limit)
    if (!range) return new Reply([], { headers: pageHeaders({ total: room?.lastNumber ?? 0 }) })
    const recent = room.recentMessages.filter(
      ({ sequenceNumber }) => sequenceNumber >= range.from && sequenceNumber <= range.to,
    )
    const archivedTo = recent[0] ? recent[0].sequenceNumber - 1 : range.to
    const archived = await ctx.archive.findRange(room.id, { from: range.from, to: archivedTo })
    const messages = [...archived, ...recent]
    // Where the page begins later, the messages before it have expired.
    const next = range.from > 1 && messages[0]?.sequenceNumber === range.from ? { before: range.from } : undefined
    return new Reply(
      messages.map(message => presentMessage(room.userIds, message)),
      { headers: pageHeaders({ total: room.lastNumber, next }) },
    )
  },
  { versions: { keys: ({ params }) => [messagesVersion(params.roomId)], maxAgeMs: chatMaxAgeMs } },
)

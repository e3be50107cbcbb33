import { exportRoom as operation } from '@watchline/contracts/chat'
import { limits } from '@watchline/contracts/limits'
import { defineRoute, StreamReply } from '@watchline/kit/http/route'
import { findRoom } from '../actions/find-room.ts'
import type { ChatContext } from '../context.ts'
import type { Message } from '../rules/message.ts'
import { partnerIdIn } from '../rules/room.ts'
import { formatTranscriptHead, formatTranscriptLine } from '../rules/transcript.ts'
import type { RoomWithMessages } from '../store/rooms.ts'

export const exportRoom = defineRoute(operation, async ({ params, person }, ctx: ChatContext) => {
  const room = await findRoom(ctx, person, params.roomId)
  await ctx.rateLimit.countExport(person.id)
  const partner = await ctx.people.get(partnerIdIn(params.roomId, person.id)!)
  const names = new Map([
    [person.id, person.name],
    [partner?.id ?? '', partner?.name ?? ''],
  ])
  const senderName = (message: Message) => names.get(room!.userIds[message.senderSide - 1]!) || 'Unknown'
  const head = formatTranscriptHead(person.name, partner?.name || 'Unknown')
  const date = new Date(ctx.clock.now()).toISOString().slice(0, 10)
  return new StreamReply(writeTranscript(ctx, room, head, senderName), {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Disposition': `attachment; filename="chat-${date}.txt"`,
  })
})

async function* writeTranscript(
  { archive }: ChatContext,
  room: RoomWithMessages | undefined,
  head: string,
  senderName: (message: Message) => string,
): AsyncGenerator<string> {
  yield head
  if (!room) return
  const format = (messages: readonly Message[]) =>
    messages
      .map(message => formatTranscriptLine({ at: message.at, name: senderName(message), text: message.text }))
      .join('')
  const archivedTo = (room.recentMessages[0]?.sequenceNumber ?? room.lastNumber + 1) - 1
  for (let from = 1; from <= archivedTo; from += limits.pageMax)
    yield format(await archive.findRange(room.id, { from, to: Math.min(archivedTo, from + limits.pageMax - 1) }))
  yield `${format(room.recentMessages)}\n`
}

import { exportRoom as operation } from '@watchline/contracts/chat'
import { limits } from '@watchline/contracts/limits'
import { defineRoute, StreamReply } from '@watchline/kit/http/route'
import { roomOf } from '../actions/find-room.ts'
import type { ChatContext } from '../context.ts'
import { otherIn } from '../rules/rooms.ts'
import { transcriptHead, transcriptLine } from '../rules/transcript.ts'
import type { Message } from '../store/message-archive.ts'
import type { FullRoom } from '../store/rooms.ts'

export const exportRoom = defineRoute(operation, async ({ params, person }, ctx: ChatContext) => {
  const room = await roomOf(ctx, person, params.roomId)
  const other = await ctx.people.get(otherIn(params.roomId, person.id)!)
  const names = new Map([
    [person.id, person.name],
    [other?.id ?? '', other?.name ?? ''],
  ])
  const nameOf = (message: Message) => names.get(room!.userIds[message.s - 1]!) || 'Unknown'
  const date = new Date(ctx.clock.now()).toISOString().slice(0, 10)
  return new StreamReply(pieces(ctx, room, transcriptHead(person.name, other?.name || 'Unknown'), nameOf), {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Disposition': `attachment; filename="chat-${date}.txt"`,
  })
})

async function* pieces(
  { messages }: ChatContext,
  room: FullRoom | undefined,
  head: string,
  nameOf: (message: Message) => string,
): AsyncGenerator<string> {
  yield head
  if (!room) return
  const write = (some: readonly Message[]) =>
    some.map(each => transcriptLine({ at: each.at, name: nameOf(each), text: each.text })).join('')
  const older = (room.tail[0]?.seq ?? room.lastSeq + 1) - 1
  for (let from = 1; from <= older; from += limits.pageMax)
    yield write(await messages.range(room.id, { from, to: Math.min(older, from + limits.pageMax - 1) }))
  yield `${write(room.tail)}\n`
}

import { getUnreadCount as operation } from '@watchline/contracts/chat'
import { defineRoute } from '@watchline/kit/http/route'
import type { ChatContext } from '../context.ts'
import { chatMaxAgeMs, roomsVersion } from '../rules/versions.ts'

export const getUnreadCount = defineRoute(
  operation,
  async ({ person }, ctx: ChatContext) => ({ unread_count: await ctx.roomLists.countUnread(person.id) }),
  { versions: { keys: ({ person }) => [roomsVersion(person.id)], maxAgeMs: chatMaxAgeMs } },
)

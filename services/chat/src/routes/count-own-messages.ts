import { countOwnMessages as operation } from '@watchline/contracts/chat'
import { defineRoute } from '@watchline/kit/http/route'
import type { ChatContext } from '../context.ts'

export const countOwnMessages = defineRoute(operation, async ({ person }, ctx: ChatContext) =>
  ctx.roomLists.countMessages(person.id),
)

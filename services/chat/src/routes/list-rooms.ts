import { listRooms as operation } from '@watchline/contracts/chat'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { countList, listPage, listPlace } from '../actions/list-room-entries.ts'
import type { ChatContext } from '../context.ts'
import { chatFreshMs, roomsVersion } from '../rules/versions.ts'

export const listRooms = defineRoute(
  operation,
  async ({ query, person }, ctx: ChatContext) => {
    const { limit, search } = query
    const after = readCursor(query.cursor, listPlace)
    const [{ rooms, next }, total] = await Promise.all([
      listPage(ctx, person, { after, limit, search }),
      countList(ctx, person, search),
    ])
    return new Reply(rooms, { headers: pageHeaders({ total, next }) })
  },
  {
    versions: {
      keys: ({ person }, { people }) => [roomsVersion(person.id), people.versionKey],
      maxAgeMs: chatFreshMs,
    },
  },
)

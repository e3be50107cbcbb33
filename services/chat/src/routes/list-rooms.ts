import { listRooms as operation } from '@watchline/contracts/chat'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { countRoomEntries, listRoomEntries, roomListCursor } from '../actions/list-room-entries.ts'
import type { ChatContext } from '../context.ts'
import { chatMaxAgeMs, roomsVersion } from '../rules/versions.ts'
import { presentRoomEntry } from './presenters.ts'

export const listRooms = defineRoute(
  operation,
  async ({ query, person }, ctx: ChatContext) => {
    const { limit, search } = query
    const after = readCursor(query.cursor, roomListCursor)
    const [{ entries, next }, total] = await Promise.all([
      listRoomEntries(ctx, person, { after, limit, search }),
      countRoomEntries(ctx, person, search),
    ])
    return new Reply(
      entries.map(entry => presentRoomEntry(entry, person)),
      { headers: pageHeaders({ total, next }) },
    )
  },
  {
    versions: {
      keys: ({ person }, { people }) => [roomsVersion(person.id), people.versionKey],
      maxAgeMs: chatMaxAgeMs,
    },
  },
)

import { listSupervisorRequests as operation } from '@watchline/contracts/supervisor-requests'
import { pageHeaders, readCursor, timeCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { presentRequests } from './presenters.ts'

export const listSupervisorRequests = defineRoute(operation, async ({ query }, { people, requests }: AuthContext) => {
  const { order, limit, cursor } = query
  const page = await requests.pending({ order, limit, after: readCursor(cursor, timeCursor) })
  return new Reply(await presentRequests(page.requests, people), { headers: pageHeaders(page) })
})

import { listErasures as operation } from '@watchline/contracts/privacy'
import { pageHeaders, readCursor, timeCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'

export const listErasures = defineRoute(operation, async ({ query }, { receipts }: AuthContext) => {
  const page = await receipts.page({ after: readCursor(query.cursor, timeCursor), limit: query.limit })
  return new Reply(page.erasures, { headers: pageHeaders(page) })
})

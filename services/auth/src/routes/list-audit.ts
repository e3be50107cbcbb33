import { listAudit as operation } from '@watchline/contracts/audit'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { pageEndSchema } from '@watchline/kit/mongo/list-order'
import type { AuthContext } from '../context.ts'
import { auditOrder } from '../store/audit.ts'

export const listAudit = defineRoute(operation, async ({ query }, { audit }: AuthContext) => {
  const { action, sign_ins, setup, search, from, until, order, limit, cursor } = query
  const page = await audit.page({
    action,
    withoutSignIns: sign_ins === 'false',
    withoutSetup: setup === 'false',
    search,
    from: from === undefined ? undefined : Date.parse(from),
    until: until === undefined ? undefined : Date.parse(until),
    order,
    after: readCursor(cursor, pageEndSchema(auditOrder(query))),
    limit,
  })
  return new Reply(page.rows, { headers: pageHeaders(page) })
})

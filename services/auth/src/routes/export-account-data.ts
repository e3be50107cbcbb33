import { exportAccountData as operation } from '@watchline/contracts/privacy'
import { findExportedPerson, streamPersonalData } from '@watchline/identity/personal-data'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'

export const exportAccountData = defineRoute(operation, async ({ query, person: caller }, ctx: AuthContext) => {
  const people = { find: (id: string) => ctx.people.byId(id) }
  const person = await findExportedPerson({ ...ctx, people, service: 'auth' }, caller, query.user_id)
  return streamPersonalData(ctx.accountData.read(person.id))
})

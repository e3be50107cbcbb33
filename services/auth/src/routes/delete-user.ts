import { deleteUser as operation } from '@watchline/contracts/organisation'
import { defineRoute } from '@watchline/kit/http/route'
import { deletePerson } from '../actions/delete-person.ts'
import type { AuthContext } from '../context.ts'

export const deleteUser = defineRoute(operation, async ({ params, person: by }, ctx: AuthContext) => {
  await deletePerson(ctx, { id: params.id, by })
  return { success: true as const }
})

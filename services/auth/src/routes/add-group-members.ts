import { addGroupMembers as operation } from '@watchline/contracts/groups'
import { failField } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { addMembers, requireManual } from '../actions/change-group-members.ts'
import type { AuthContext } from '../context.ts'
import { mayBeMember } from '../rules/group-membership.ts'
import { presentGroup } from './present-groups.ts'

export const addGroupMembers = defineRoute(operation, async ({ params, body, person }, ctx: AuthContext) => {
  requireManual(await ctx.groups.byId(params.id))
  await requirePossibleMembers(ctx, body.user_ids)
  const { group, added } = await addMembers(ctx, { groupId: params.id, personIds: body.user_ids, by: person })
  return { success: true as const, added, group: await presentGroup(ctx, group) }
})

async function requirePossibleMembers({ people }: AuthContext, ids: readonly string[]): Promise<void> {
  const peopleById = new Map((await people.byIds(ids)).map(person => [person.id, person]))
  for (const [index, id] of ids.entries()) {
    const person = peopleById.get(id)
    if (!person) failField(`user_ids.${index}`, 'is nobody')
    if (!mayBeMember({ role: person.role, isDeactivated: Boolean(person.deactivatedAt) }))
      failField(`user_ids.${index}`, person.role === 'admin' ? 'is an administrator' : 'is deactivated')
  }
}

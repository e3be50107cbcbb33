import { listGroupsOfPeople as operation } from '@watchline/contracts/internal-operations'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import type { AuthContext } from '../context.ts'

/**
 * The rows of a report by group. A viewer gets only groups that `listGroupChoices` offers them, so
 * that no report names another group.
 */
export const listGroupsOfPeople = defineInternalRoute(operation, async ({ query }, ctx: AuthContext) => {
  const { person_ids, viewer_id } = query
  const viewer = viewer_id === undefined ? undefined : await ctx.people.byId(viewer_id)
  if (viewer_id !== undefined && (!viewer || viewer.role === 'user')) return []
  const managedIds = viewer?.role === 'manager' ? new Set(await ctx.teams.managedUserIds(viewer.id)) : undefined
  const memberships = await ctx.groupMembers.ofPeople(
    managedIds ? person_ids.filter(id => managedIds.has(id)) : person_ids,
  )
  const members = Map.groupBy(memberships, ({ groupId }) => groupId)
  const groups = await ctx.groups.byIds([...members.keys()], viewer?.role === 'supervisor' ? viewer.id : undefined)
  return groups.map(({ id, name }) => ({ id, name, member_ids: members.get(id)!.map(({ personId }) => personId) }))
})

import { listGroupMembers as operation } from '@watchline/contracts/groups'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { pageEndSchema } from '@watchline/kit/mongo/list-order'
import { findVisibleGroup } from '../actions/find-visible-group.ts'
import type { AuthContext } from '../context.ts'
import { memberOrder } from '../store/group-members.ts'
import { presentUser } from './presenters.ts'

export const listGroupMembers = defineRoute(operation, async ({ params, query, person }, ctx: AuthContext) => {
  const { search, limit, cursor } = query
  const group = await findVisibleGroup(ctx, params.id, person)
  const after = readCursor(cursor, pageEndSchema(memberOrder))
  const { groupMembers, people } = ctx
  const page = await groupMembers.list({ groupId: group.id, search, after, limit, memberCount: group.memberCount })
  const peopleById = new Map((await people.byIds(page.personIds)).map(member => [member.id, member]))
  const members = page.personIds.flatMap(id => peopleById.get(id) ?? [])
  return new Reply(members.map(presentUser), { headers: pageHeaders(page) })
})

import { z } from 'zod'
import { id, idList, idParams, page, success, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'
import { staff, user } from './people.ts'

const service = 'auth'
const editors = ['director', 'admin'] as const
const readers = ['supervisor', ...editors] as const

/**
 * The origin of a group's members. A `manual` group gets them by hand or by file. All others are
 * dynamic groups: their members change automatically. `team`: the users of a supervisor. `manager`:
 * the users of the manager's supervisors. `claim`: everybody whose latest sign-in had the value,
 * compared exactly.
 */
export const groupSource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('manual') }),
  z.object({ kind: z.literal('team'), supervisor_id: id }),
  z.object({ kind: z.literal('manager'), manager_id: id }),
  z.object({
    kind: z.literal('claim'),
    claim: text(limits.claimNameMaxLength, 1),
    value: text(limits.claimValueMaxLength, 1),
  }),
])
export type GroupSource = z.infer<typeof groupSource>

const somebody = z.object({ id, name: z.string() })

export const group = z.object({
  id,
  name: z.string(),
  source: groupSource,
  /** The supervisor or manager of the source; null for other sources. */
  leader: somebody
    /** Whether they still have the role that leads. Without it the group has no members. */
    .extend({ available: z.boolean() })
    .nullable(),
  /** The supervisors who may assign to the group. Directors and administrators always may. */
  assigners: z.array(somebody),
  member_count: z.number().int().min(0),
  /** A new group looks for its first members, and `member_count` still grows. */
  pending: z.boolean(),
  /** Grows by one with every change of name or assigners. */
  version: z.number().int().min(1),
  created_at: time,
})
export type Group = z.infer<typeof group>

const groupName = text(limits.groupNameMaxLength, 1).refine(name => !/[\r\n]/.test(name), 'must be one line')
const assigners = z.array(id).max(limits.groupAssignersMax)
const groupResponse = z.object({ success: z.literal(true), group })

export const listGroups = defineOperation({
  name: 'listGroups',
  service,
  method: 'GET',
  path: '/groups',
  callers: readers,
  summary:
    'The groups by name: all of them for directors and administrators; those that a supervisor may assign to for a supervisor. A search matches the beginnings of words in the name.',
  query: page.extend({ search: text(limits.groupNameMaxLength).optional() }),
  response: z.array(group),
  errors: ['forbidden', 'invalid'],
})

/** A group as a filter shows it. It may have members whom the caller does not see. */
const groupChoice = z.object({ id, name: z.string() })
export type GroupChoice = z.infer<typeof groupChoice>

export const listGroupChoices = defineOperation({
  name: 'listGroupChoices',
  service,
  method: 'GET',
  path: '/group-choices',
  callers: staff,
  summary:
    'The groups by whose members the caller may filter, by name: all of them for directors and administrators; those that they may assign to for a supervisor; those with a user of their teams for a manager. A search matches the beginnings of words in the name.',
  query: page.extend({
    search: text(limits.groupNameMaxLength).optional(),
    /** Only these groups: ids separated by commas. */
    group_ids: idList.optional(),
  }),
  response: z.array(groupChoice),
  errors: ['forbidden', 'invalid'],
})

export const getGroup = defineOperation({
  name: 'getGroup',
  service,
  method: 'GET',
  path: '/groups/{id}',
  callers: readers,
  summary: 'A group. `not_found` for a supervisor who may not assign to it.',
  params: idParams,
  response: group,
  errors: ['forbidden', 'not_found'],
})

export const listGroupClaims = defineOperation({
  name: 'listGroupClaims',
  service,
  method: 'GET',
  path: '/group-claims',
  callers: editors,
  summary: 'The claims of the sign-in provider by which a dynamic group may be made: the setting OIDC_CLAIMS.',
  response: z.object({ claims: z.array(z.string()) }),
  errors: ['forbidden'],
})

export const createGroup = defineOperation({
  name: 'createGroup',
  service,
  method: 'POST',
  path: '/groups',
  callers: editors,
  summary:
    'Creates a group. A dynamic group gets its first members in the background. `conflict` if another group has the name.',
  body: z.object({ name: groupName, source: groupSource, assigners: assigners.default([]) }),
  response: groupResponse,
  status: 201,
  errors: ['forbidden', 'conflict', 'invalid'],
})

export const updateGroup = defineOperation({
  name: 'updateGroup',
  service,
  method: 'PUT',
  path: '/groups/{id}',
  callers: editors,
  summary:
    'Replaces the name of a group and the supervisors who may assign to it. `edited_elsewhere` if `version` is not the current one; `conflict` if another group has the name.',
  params: idParams,
  body: z.object({ name: groupName, assigners, version: z.number().int().min(1) }),
  response: groupResponse,
  errors: ['forbidden', 'not_found', 'conflict', 'edited_elsewhere', 'invalid'],
})

export const deleteGroup = defineOperation({
  name: 'deleteGroup',
  service,
  method: 'DELETE',
  path: '/groups/{id}',
  callers: editors,
  summary: 'Deletes a group. Its members lose what is assigned to them only through it.',
  params: idParams,
  response: success,
  errors: ['forbidden', 'not_found'],
})

export const listGroupMembers = defineOperation({
  name: 'listGroupMembers',
  service,
  method: 'GET',
  path: '/groups/{id}/members',
  callers: readers,
  summary:
    'The members of a group by name. A search matches the beginnings of words in name and email address; its X-Total-Count stops at 1,000.',
  params: idParams,
  query: page.extend({ search: text(limits.nameMaxLength).optional() }),
  response: z.array(user),
  errors: ['forbidden', 'not_found', 'invalid'],
})

const memberIds = z.object({ user_ids: z.array(id).min(1).max(limits.groupMembersPerCall) })

export const addGroupMembers = defineOperation({
  name: 'addGroupMembers',
  service,
  method: 'POST',
  path: '/groups/{id}/members',
  callers: editors,
  summary:
    'Adds people to a `manual` group: all of them, or nobody if one is unknown, deactivated or an administrator. Members stay members.',
  params: idParams,
  body: memberIds,
  response: z.object({
    success: z.literal(true),
    /** The number of new members. */
    added: z.number().int(),
    group,
  }),
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
})

export const removeGroupMembers = defineOperation({
  name: 'removeGroupMembers',
  service,
  method: 'POST',
  path: '/groups/{id}/members/remove',
  callers: editors,
  summary: 'Removes people from a `manual` group. Ids of others change nothing.',
  params: idParams,
  body: memberIds,
  response: z.object({ success: z.literal(true), removed: z.number().int(), group }),
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
})

/**
 * `not_an_address`; `nobody` has the address; `several` people have it, so somebody must choose;
 * `repeated`: an earlier line of the call names the same person; `deactivated`, and
 * `administrator`: the person cannot be a member.
 */
export const memberProblem = z.enum(['not_an_address', 'nobody', 'several', 'repeated', 'deactivated', 'administrator'])
export type MemberProblem = z.infer<typeof memberProblem>

const addresses = z.object({
  /** One line of a file each; what is no address is reported. */
  emails: z.array(z.string().max(limits.groupAddressMaxLength)).min(1).max(limits.groupMembersPerCall),
})

const matchedAddresses = z.object({
  /** The number of people who are members already. */
  members: z.number().int(),
  problems: z.array(
    z.object({
      /** The position in the request, from 0. */
      index: z.number().int(),
      email: z.string(),
      problem: memberProblem,
    }),
  ),
})

export const previewGroupImport = defineOperation({
  name: 'previewGroupImport',
  service,
  method: 'POST',
  path: '/groups/{id}/import/preview',
  callers: editors,
  summary: 'Looks people up by their email addresses for a `manual` group. Changes nothing.',
  params: idParams,
  body: addresses,
  response: matchedAddresses.extend({
    /** The number of people who would become members. */
    matched: z.number().int(),
  }),
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
})

export const importGroupMembers = defineOperation({
  name: 'importGroupMembers',
  service,
  method: 'POST',
  path: '/groups/{id}/import',
  callers: editors,
  summary:
    'Adds the people with these email addresses to a `manual` group. Addresses with a problem add nobody. A repeated call adds nobody twice.',
  params: idParams,
  body: addresses,
  response: matchedAddresses.extend({ success: z.literal(true), added: z.number().int(), group }),
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
})

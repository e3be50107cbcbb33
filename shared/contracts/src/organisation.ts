import { z } from 'zod'
import { byId, id, page, text } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'
import { assignableRole, role, user } from './people.ts'

const service = 'auth'

export const listUsers = defineOperation({
  name: 'listUsers',
  service,
  method: 'GET',
  path: '/admin/users',
  who: ['admin'],
  summary:
    'All people except administrators, newest first. A search matches the beginnings of words in name and e-mail address. X-Total-Count stops at 1,000 in a search.',
  query: page.extend({ search: text(limits.nameMaxLength).optional(), role: assignableRole.optional() }),
  response: z.array(user),
  errors: ['forbidden', 'invalid'],
})

/** How many people there are of each role; the admin's five summary cards. */
export const countUsers = defineOperation({
  name: 'countUsers',
  service,
  method: 'GET',
  path: '/admin/user-counts',
  who: ['admin'],
  summary: 'The number of people, in total and by role, and of supervisors with a manager.',
  response: z.object({
    total: z.number().int(),
    user: z.number().int(),
    supervisor: z.number().int(),
    manager: z.number().int(),
    director: z.number().int(),
    /** Supervisors who have a manager; with the managers it makes their average. */
    managed_supervisors: z.number().int(),
    pending_requests: z.number().int(),
  }),
  errors: ['forbidden'],
})

export const listSupervisors = defineOperation({
  name: 'listSupervisors',
  service,
  method: 'GET',
  path: '/admin/supervisors',
  who: ['admin', 'manager'],
  summary: 'The supervisors with the size of their teams. available=true: only those without a manager.',
  query: page.extend({
    search: text(limits.nameMaxLength).optional(),
    available: z.enum(['true', 'false']).optional(),
  }),
  response: z.array(user),
  errors: ['forbidden'],
})

export const listManagers = defineOperation({
  name: 'listManagers',
  service,
  method: 'GET',
  path: '/admin/managers',
  who: ['admin'],
  summary: 'The managers with the number of their supervisors.',
  query: page.extend({ search: text(limits.nameMaxLength).optional() }),
  response: z.array(user),
  errors: ['forbidden'],
})

export const changeRole = defineOperation({
  name: 'changeRole',
  service,
  method: 'PUT',
  path: '/admin/users/{id}/role',
  who: ['admin'],
  summary: 'Gives a person a role, with all its effects on who supervises and manages whom.',
  params: byId,
  body: z.object({ role: assignableRole }),
  response: z.object({ success: z.literal(true), user }),
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
})

export const changeSupervisor = defineOperation({
  name: 'changeSupervisor',
  service,
  method: 'PUT',
  path: '/admin/users/{id}/supervisor',
  who: ['admin'],
  summary: 'Puts a user into a supervisor’s team; an empty supervisor_id takes them out.',
  params: byId,
  query: z.object({ supervisor_id: z.union([z.literal(''), id]) }),
  response: z.object({ success: z.literal(true), user }),
  errors: ['forbidden', 'not_found', 'supervisor_full', 'conflict', 'invalid'],
})

export const changeManager = defineOperation({
  name: 'changeManager',
  service,
  method: 'PUT',
  path: '/admin/users/{id}/manager',
  who: ['admin'],
  summary:
    'Puts a supervisor under a manager, whose own request for them is withdrawn; an empty manager_id takes them away.',
  params: byId,
  query: z.object({ manager_id: z.union([z.literal(''), id]) }),
  response: z.object({ success: z.literal(true), user }),
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
})

export const listTeam = defineOperation({
  name: 'listTeam',
  service,
  method: 'GET',
  path: '/users',
  who: ['supervisor', 'manager', 'director', 'admin'],
  summary:
    'The caller’s people: a supervisor’s team, a manager’s supervisors and their teams, everyone for director and admin.',
  query: page.extend({ search: text(limits.nameMaxLength).optional(), role: role.optional() }),
  response: z.array(user),
  errors: ['forbidden'],
})

export const listOwnSupervisors = defineOperation({
  name: 'listOwnSupervisors',
  service,
  method: 'GET',
  path: '/manager/supervisors',
  who: ['manager'],
  summary: 'The caller’s own supervisors with the size of their teams.',
  query: page.extend({ search: text(limits.nameMaxLength).optional() }),
  response: z.array(user),
  errors: ['forbidden'],
})

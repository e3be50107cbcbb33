import { z } from 'zod'
import { direction, id, idParams, page, success, text } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'
import { assignableRole, role, staff, user } from './people.ts'

const service = 'auth'

/**
 * The query of lists of people beside `sort`, whose values decide what is compared. Names decide
 * between equals; numbers in them count as numbers, so "Trainee 9" comes before "Trainee 10".
 * `role` means director, manager, supervisor, user. A cursor belongs to its `sort`.
 */
const peoplePage = page.extend({ order: direction.default('asc'), search: text(limits.nameMaxLength).optional() })
const leaderSort = z.enum(['name', 'joined', 'team_size']).default('name')

export const listUsers = defineOperation({
  name: 'listUsers',
  service,
  method: 'GET',
  path: '/admin/users',
  callers: ['admin'],
  summary:
    'All people except administrators, by name unless another order is asked for. Deactivated people are in it, marked by deactivated_at. without_team=true: only active users without a supervisor. A search matches the beginnings of words in name and email address. X-Total-Count stops at 1,000 in a search or among users without a supervisor.',
  query: peoplePage.extend({
    sort: z.enum(['name', 'role', 'joined']).default('name'),
    role: assignableRole.optional(),
    without_team: z.enum(['true', 'false']).optional(),
  }),
  response: z.array(user),
  errors: ['forbidden', 'invalid'],
})

/** The number of people of each role, for the administrator's summary cards. */
export const countUsers = defineOperation({
  name: 'countUsers',
  service,
  method: 'GET',
  path: '/admin/user-counts',
  callers: ['admin'],
  summary:
    'The number of active people, in total and by role, and of supervisors with a manager; and the number of deactivated people of each role.',
  response: z.object({
    total: z.number().int(),
    user: z.number().int(),
    supervisor: z.number().int(),
    manager: z.number().int(),
    director: z.number().int(),
    /** Supervisors with a manager. Divided by `manager` it is the average of the statistics. */
    managed_supervisors: z.number().int(),
    pending_requests: z.number().int(),
    /** Deactivated people, whom no other figure counts. Absent from earlier versions. */
    deactivated: z
      .object({
        user: z.number().int(),
        supervisor: z.number().int(),
        manager: z.number().int(),
        director: z.number().int(),
      })
      .optional(),
  }),
  errors: ['forbidden'],
})

export const listSupervisors = defineOperation({
  name: 'listSupervisors',
  service,
  method: 'GET',
  path: '/admin/supervisors',
  callers: ['admin', 'manager'],
  summary:
    'The active supervisors with the size of their teams, by name unless another order is asked for. available=true: only those without a manager.',
  query: peoplePage.extend({
    sort: leaderSort,
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
  callers: ['admin'],
  summary: 'The active managers with the number of their supervisors, by name unless another order is asked for.',
  query: peoplePage.extend({ sort: leaderSort }),
  response: z.array(user),
  errors: ['forbidden'],
})

export const changeRole = defineOperation({
  name: 'changeRole',
  service,
  method: 'PUT',
  path: '/admin/users/{id}/role',
  callers: ['admin'],
  summary:
    'Changes the role of a person, and removes the supervisor and manager relations that the new role cannot have. With supervisor_id, a user also joins that team; with manager_id, a supervisor also comes under that manager; both are saved or neither.',
  params: idParams,
  body: z
    .object({
      role: assignableRole,
      /** Only with the role user. Without it a user who keeps the role keeps the team. */
      supervisor_id: id.optional(),
      /** Only with the role supervisor. Without it the manager stays if the role stays. */
      manager_id: id.optional(),
    })
    .superRefine((body, context) => {
      if (body.supervisor_id !== undefined && body.role !== 'user')
        context.addIssue({ code: 'custom', path: ['supervisor_id'], message: 'is only for the role user' })
      if (body.manager_id !== undefined && body.role !== 'supervisor')
        context.addIssue({ code: 'custom', path: ['manager_id'], message: 'is only for the role supervisor' })
    }),
  response: z.object({ success: z.literal(true), user }),
  errors: ['forbidden', 'not_found', 'supervisor_full', 'conflict', 'invalid'],
})

export const changeSupervisor = defineOperation({
  name: 'changeSupervisor',
  service,
  method: 'PUT',
  path: '/admin/users/{id}/supervisor',
  callers: ['admin'],
  summary: 'Adds a user to a supervisor’s team. An empty supervisor_id removes them from their team.',
  params: idParams,
  query: z.object({ supervisor_id: z.union([z.literal(''), id]) }),
  response: z.object({ success: z.literal(true), user }),
  errors: ['forbidden', 'not_found', 'supervisor_full', 'conflict', 'invalid'],
})

export const changeManager = defineOperation({
  name: 'changeManager',
  service,
  method: 'PUT',
  path: '/admin/users/{id}/manager',
  callers: ['admin'],
  summary:
    'Assigns a supervisor to a manager, and withdraws that manager’s own request for them. An empty manager_id removes the manager.',
  params: idParams,
  query: z.object({ manager_id: z.union([z.literal(''), id]) }),
  response: z.object({ success: z.literal(true), user }),
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
})

export const accountStatus = z.enum(['active', 'deactivated'])
export type AccountStatus = z.infer<typeof accountStatus>

export const changeStatus = defineOperation({
  name: 'changeStatus',
  service,
  method: 'PUT',
  path: '/admin/users/{id}/status',
  callers: ['admin'],
  summary:
    'Deactivates a person or makes them active again. Deactivating ends all login sessions and the monitored session at once, removes the person from teams and frees their own team; what they watched stays. A removed administrator without an account at the sign-in provider is not made active again (409): invite them. Does nothing if the status stays the same.',
  params: idParams,
  body: z.object({ status: accountStatus }),
  response: z.object({ success: z.literal(true), user }),
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
})

export const deleteUser = defineOperation({
  name: 'deleteUser',
  service,
  method: 'DELETE',
  path: '/admin/users/{id}',
  callers: ['admin'],
  summary:
    'Deletes a person who was created by mistake. Refused with 409 as soon as anything is recorded of them; deactivate them instead. Ends all login sessions at once and frees seats; pending requests are withdrawn.',
  params: idParams,
  response: success,
  errors: ['forbidden', 'not_found', 'conflict', 'unavailable', 'invalid'],
})

export const endSessionsOfUser = defineOperation({
  name: 'endSessionsOfUser',
  service,
  method: 'DELETE',
  path: '/admin/users/{id}/sessions',
  callers: ['admin'],
  summary: 'Ends all login sessions of another person at once. They can sign in again.',
  params: idParams,
  response: z.object({ success: z.literal(true), ended_sessions: z.number().int() }),
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
})

export const getPicture = defineOperation({
  name: 'getPicture',
  service,
  method: 'GET',
  path: '/users/{id}/picture',
  callers: 'signed-in',
  summary: 'The picture of a person, by the address that an answer shows as `picture`.',
  params: idParams,
  query: z.object({ url: z.string().max(limits.urlMaxLength) }),
  response: z.null(),
  mediaType: 'image/*',
  errors: ['not_found', 'invalid'],
})

export const listTeam = defineOperation({
  name: 'listTeam',
  service,
  method: 'GET',
  path: '/users',
  callers: staff,
  summary:
    'The caller’s active people by name: a supervisor’s team, a manager’s supervisors and their teams, everyone for director and admin.',
  query: peoplePage.extend({
    role: role.optional(),
    /** Nobody with the role `user`. */
    only_staff: z.enum(['true', 'false']).optional(),
    /** Only this supervisor's team. For director and admin; others get `forbidden`. */
    supervisor_id: id.optional(),
    /**
     * Only this manager's supervisors and their teams. For director and admin; others get
     * `forbidden`.
     */
    manager_id: id.optional(),
  }),
  response: z.array(user),
  errors: ['forbidden'],
})

export const returnSupervisor = defineOperation({
  name: 'returnSupervisor',
  service,
  method: 'DELETE',
  path: '/manager/supervisors/{id}',
  callers: ['manager'],
  summary:
    'Gives one of the caller’s supervisors back: the supervisor keeps the team and has no manager. Repeating it is harmless. `edited_elsewhere` if `version` is not the current one of a supervisor whom the caller still has.',
  params: idParams,
  query: z.object({
    /**
     * From the caller's list. With it, a late repetition cannot give back a supervisor whom an
     * administrator has put under the caller again.
     */
    version: z.coerce.number().int().min(1).optional(),
  }),
  response: z.object({ success: z.literal(true), user }),
  errors: ['forbidden', 'not_found', 'edited_elsewhere'],
})

export const listOwnSupervisors = defineOperation({
  name: 'listOwnSupervisors',
  service,
  method: 'GET',
  path: '/manager/supervisors',
  callers: ['manager'],
  summary: 'The caller’s own supervisors by name, with the size of their teams.',
  query: page.extend({ search: text(limits.nameMaxLength).optional() }),
  response: z.array(user),
  errors: ['forbidden'],
})

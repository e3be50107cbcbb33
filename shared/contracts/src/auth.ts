import { z } from 'zod'
import { id, page, success, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { operation } from './operation.ts'
import { admin, assignableRole, email, personName, role, user } from './people.ts'

const service = 'auth'
const byId = z.object({ id })

export const signIn = operation({
  name: 'signIn',
  service,
  method: 'GET',
  path: '/auth/signin',
  who: 'anyone',
  summary: 'Starts the sign-in at the OpenID Connect provider (a redirect). login_hint is passed on.',
  query: z.object({ login_hint: z.string().max(limits.emailMaxLength).optional() }),
  response: z.null(),
  status: 302,
  errors: ['unavailable'],
})

export const signInCallback = operation({
  name: 'signInCallback',
  service,
  method: 'GET',
  path: '/auth/callback',
  who: 'anyone',
  summary: 'Where the provider sends the person back: redirects to /profile with a single-use session_id, or an error.',
  query: z.record(z.string(), z.unknown()),
  response: z.null(),
  status: 302,
})

/** What the sign-in page needs to know before anyone is signed in. */
export const signInOptions = operation({
  name: 'signInOptions',
  service,
  method: 'GET',
  path: '/auth/options',
  who: 'anyone',
  summary: 'The name of the sign-in provider, and whether it is the one for development.',
  response: z.object({ provider: z.string(), development: z.boolean(), setup_token_required: z.boolean() }),
})

export const login = operation({
  name: 'login',
  service,
  method: 'POST',
  path: '/auth/login',
  who: 'anyone',
  summary: 'Exchanges the single-use session_id for a login session (cookies).',
  body: z.object({ session_id: z.string().min(1).max(200) }),
  response: z.object({ user }),
  errors: ['invalid_session_id', 'monitoring_conflict', 'invalid'],
})

export const getProfile = operation({
  name: 'getProfile',
  service,
  method: 'GET',
  path: '/auth/profile',
  who: 'signed-in',
  summary: 'The person who is signed in.',
  response: user,
  errors: ['no_session'],
})

export const refreshSession = operation({
  name: 'refreshSession',
  service,
  method: 'POST',
  path: '/auth/refresh',
  who: 'anyone',
  summary: 'Gives a new access token for the refresh cookie and rotates it.',
  body: z.object({}),
  bodyOptional: true,
  response: success,
  errors: ['no_session'],
})

export const logout = operation({
  name: 'logout',
  service,
  method: 'POST',
  path: '/auth/logout',
  who: 'anyone',
  summary: 'Ends the login session at once. Harmless when there is none.',
  body: z.object({}),
  bodyOptional: true,
  response: success,
})

/** What an administrator's password must be, wherever one is set. */
export const newPassword = z
  .string()
  .min(limits.passwordMinLength, `Password must be at least ${limits.passwordMinLength} characters long`)
  .max(limits.passwordMaxLength, `Password must be at most ${limits.passwordMaxLength} characters long`)

export const setupAdmin = operation({
  name: 'setupAdmin',
  service,
  method: 'POST',
  path: '/admin/setup',
  who: 'anyone',
  summary: 'Creates the first administrator; also the probe of whether there is one.',
  body: z.object({ name: personName, email, password: newPassword }),
  response: z.object({ success: z.literal(true), admin }),
  errors: ['admin_exists', 'setup_token', 'invalid'],
})

export const loginAdmin = operation({
  name: 'loginAdmin',
  service,
  method: 'POST',
  path: '/admin/login',
  who: 'anyone',
  summary: 'Signs an administrator in with e-mail and password.',
  body: z.object({
    email: z.string().min(1).max(limits.emailMaxLength),
    password: z.string().min(1).max(limits.passwordMaxLength),
  }),
  response: z.object({ success: z.literal(true), admin }),
  errors: ['invalid_credentials', 'too_many', 'invalid'],
})

export const getAdminProfile = operation({
  name: 'getAdminProfile',
  service,
  method: 'GET',
  path: '/admin/profile',
  who: ['admin'],
  summary: 'The administrator who is signed in.',
  response: admin,
  errors: ['no_session', 'forbidden'],
})

export const logoutAdmin = operation({
  name: 'logoutAdmin',
  service,
  method: 'POST',
  path: '/admin/logout',
  who: 'anyone',
  summary: 'Ends the login session at once. Harmless when there is none.',
  body: z.object({}),
  bodyOptional: true,
  response: success,
})

export const changeAdminPassword = operation({
  name: 'changeAdminPassword',
  service,
  method: 'POST',
  path: '/admin/password',
  who: ['admin'],
  summary:
    'Changes the caller’s own password. Their other login sessions end at once, this one stays. Wrong current passwords count as failed logins.',
  body: z.object({ current_password: z.string().min(1).max(limits.passwordMaxLength), new_password: newPassword }),
  response: success,
  errors: ['forbidden', 'invalid_credentials', 'too_many', 'invalid'],
})

export const listUsers = operation({
  name: 'listUsers',
  service,
  method: 'GET',
  path: '/admin/users',
  who: ['admin'],
  summary:
    'Everybody but administrators, newest first. A search finds those of whose name and e-mail words begin with each word searched for; the parts of an e-mail address are words too. X-Total-Count is exact without a search and otherwise counts no further than 1,000.',
  query: page.extend({ search: text(limits.nameMaxLength).optional(), role: assignableRole.optional() }),
  response: z.array(user),
  errors: ['forbidden', 'invalid'],
})

/** How many people there are of each role; the admin's five summary cards. */
export const countUsers = operation({
  name: 'countUsers',
  service,
  method: 'GET',
  path: '/admin/user-counts',
  who: ['admin'],
  summary: 'How many people there are, in all and by role, and how many supervisors are managed.',
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

export const listSupervisors = operation({
  name: 'listSupervisors',
  service,
  method: 'GET',
  path: '/admin/supervisors',
  who: ['admin', 'manager'],
  summary:
    'The supervisors with the size of their teams; those without a manager, where only available ones are asked for.',
  query: page.extend({
    search: text(limits.nameMaxLength).optional(),
    available: z.enum(['true', 'false']).optional(),
  }),
  response: z.array(user),
  errors: ['forbidden'],
})

export const listManagers = operation({
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

export const changeRole = operation({
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

export const changeSupervisor = operation({
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

export const changeManager = operation({
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

export const listTeam = operation({
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

export const supervisorRequest = z.object({
  id,
  manager_id: id,
  manager_name: z.string(),
  supervisor_id: id,
  supervisor_name: z.string(),
  reason: z.string(),
  /** Withdrawn: one of the two left the role it was about, or an administrator put the supervisor there unasked. */
  status: z.enum(['pending', 'approved', 'rejected', 'withdrawn']),
  requested_at: time,
  reviewed_at: time.nullable(),
  /** The administrator's words. */
  comment: z.string(),
})
export type SupervisorRequest = z.infer<typeof supervisorRequest>

export const listSupervisorRequests = operation({
  name: 'listSupervisorRequests',
  service,
  method: 'GET',
  path: '/admin/supervisor-requests',
  who: ['admin'],
  summary: 'The managers’ pending requests for supervisors, oldest first.',
  query: page,
  response: z.array(supervisorRequest),
  errors: ['forbidden'],
})

export const reviewSupervisorRequest = operation({
  name: 'reviewSupervisorRequest',
  service,
  method: 'POST',
  path: '/admin/supervisor-requests/{id}/review',
  who: ['admin'],
  summary: 'Approves or rejects a pending request, once. If the supervisor was taken meanwhile it stays pending.',
  params: byId,
  body: z.object({ action: z.enum(['approve', 'reject']), comment: text(limits.reasonMaxLength).default('') }),
  response: z.object({ success: z.literal(true), request: supervisorRequest }),
  errors: ['forbidden', 'not_found', 'already_reviewed', 'conflict', 'invalid'],
})

export const requestSupervisor = operation({
  name: 'requestSupervisor',
  service,
  method: 'POST',
  path: '/manager/request-supervisor',
  who: ['manager'],
  summary: 'Asks for a supervisor to be put under the caller; an administrator decides.',
  body: z.object({ requested_supervisor_id: id, reason: text(limits.reasonMaxLength).default('') }),
  response: z.object({ success: z.literal(true), request: supervisorRequest }),
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
})

/** What became of the caller's requests. */
export const listOwnRequests = operation({
  name: 'listOwnRequests',
  service,
  method: 'GET',
  path: '/manager/supervisor-requests',
  who: ['manager'],
  summary: 'The caller’s own requests for supervisors, latest first.',
  query: page,
  response: z.array(supervisorRequest),
  errors: ['forbidden'],
})

export const listOwnSupervisors = operation({
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

/** What administrators do, as the audit log names it. */
export const auditAction = z.enum([
  'admin_created',
  'admin_signed_in',
  'password_changed',
  'role_changed',
  'supervisor_changed',
  'manager_changed',
  'request_approved',
  'request_rejected',
  'people_imported',
])
export type AuditAction = z.infer<typeof auditAction>

const auditFacts = z.record(z.string(), z.union([z.string(), z.number(), z.null()]))

/** One administrative act. `before` and `after` hold what it changed, by wire name; people are named beside their ids. */
export const auditEntry = z.object({
  id,
  at: time,
  action: auditAction,
  /** Who did it; null for the system itself. */
  by: z.object({ id, name: z.string() }).nullable(),
  /** To whom, as they were called then; null when it is about nobody in particular. */
  subject: z.object({ id, name: z.string(), email: z.string() }).nullable(),
  before: auditFacts,
  after: auditFacts,
})
export type AuditEntry = z.infer<typeof auditEntry>

export const listAudit = operation({
  name: 'listAudit',
  service,
  method: 'GET',
  path: '/admin/audit',
  who: ['admin'],
  summary:
    'The audit log, latest first: every administrative act, by what was done, to whom (searched like people) and when. X-Total-Count counts no further than 1,000.',
  query: page.extend({
    action: auditAction.optional(),
    /** In the name and e-mail of who it was done to. */
    search: text(limits.nameMaxLength).optional(),
    from: time.optional(),
    until: time.optional(),
  }),
  response: z.array(auditEntry),
  errors: ['forbidden', 'invalid'],
})

/** What the admin's settings say about this service's own dependencies. */
export const getSystemStatus = operation({
  name: 'getSystemStatus',
  service,
  method: 'GET',
  path: '/admin/system-status',
  who: ['admin'],
  summary: 'Whether the database answers, and which sign-in provider is configured.',
  response: z.object({
    database: z.enum(['connected', 'disconnected']),
    authentication: z.object({ status: z.enum(['active', 'needs_update']), provider: z.string() }),
  }),
  errors: ['forbidden'],
})

/** The columns of a file of people, in any order; the header line names them. */
export const importColumns = ['email', 'name', 'role', 'supervisor_email', 'manager_email'] as const

export const importProblem = z.object({
  /** The line in the file, the header being 1. */
  line: z.number().int().min(1),
  /** null when it is about the whole line. */
  column: z.enum(importColumns).nullable(),
  message: z.string(),
})
export type ImportProblem = z.infer<typeof importProblem>

export const peopleImport = z.object({
  id,
  file_name: z.string(),
  created_at: time,
  /**
   * `uploading` until all parts are there; `checking`, then `checked` (ready, when there are no problems) or `refused`; `applying`,
   * then `applied`. An import that broke off in the middle has done nothing and is `interrupted`: it can be checked and applied again.
   */
  status: z.enum(['uploading', 'checking', 'checked', 'refused', 'applying', 'applied', 'interrupted']),
  /** Lines worked on, of all. */
  progress: z.object({ done: z.number().int(), total: z.number().int() }),
  /** Who would be, or was, brought in. */
  counts: z.object({
    user: z.number().int(),
    supervisor: z.number().int(),
    manager: z.number().int(),
    director: z.number().int(),
  }),
  problem_count: z.number().int(),
  problems: z.array(importProblem).max(limits.importMaxProblems),
})
export type PeopleImport = z.infer<typeof peopleImport>

const imported = z.object({ success: z.literal(true), import: peopleImport })

export const createImport = operation({
  name: 'createImport',
  service,
  method: 'POST',
  path: '/admin/imports',
  who: ['admin'],
  summary: 'Begins an import of people from a CSV file, which follows in parts.',
  body: z.object({
    file_name: text(limits.titleMaxLength, 1),
    parts: z.number().int().min(1).max(limits.importMaxParts, 'The file is too large'),
  }),
  response: imported,
  status: 201,
  errors: ['forbidden', 'invalid'],
})

export const uploadImportPart = operation({
  name: 'uploadImportPart',
  service,
  method: 'PUT',
  path: '/admin/imports/{id}/parts/{part}',
  who: ['admin'],
  summary: 'A part of the file’s text, counted from 0. Sending one again replaces it, until the file is checked.',
  params: z.object({
    id,
    part: z.coerce
      .number()
      .int()
      .min(0)
      .max(limits.importMaxParts - 1),
  }),
  body: z.object({
    text: z
      .string()
      .min(1)
      .max(limits.importPartCharacters)
      .refine(part => part.isWellFormed(), 'cuts a character in two'),
  }),
  response: imported,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
})

export const checkImport = operation({
  name: 'checkImport',
  service,
  method: 'POST',
  path: '/admin/imports/{id}/check',
  who: ['admin'],
  summary:
    'The dry run: begins to look for every problem of the file, line by line, and changes nothing. Poll the import.',
  params: byId,
  body: z.object({}),
  bodyOptional: true,
  response: imported,
  status: 202,
  errors: ['forbidden', 'not_found', 'conflict'],
})

export const applyImport = operation({
  name: 'applyImport',
  service,
  method: 'POST',
  path: '/admin/imports/{id}/apply',
  who: ['admin'],
  summary:
    'Begins to bring in everybody of a checked file without problems: all of them or, if anything changed meanwhile, nobody.',
  params: byId,
  body: z.object({}),
  bodyOptional: true,
  response: imported,
  status: 202,
  errors: ['forbidden', 'not_found', 'conflict'],
})

export const getImport = operation({
  name: 'getImport',
  service,
  method: 'GET',
  path: '/admin/imports/{id}',
  who: ['admin'],
  summary: 'How far an import is, and what is wrong with its file.',
  params: byId,
  response: peopleImport,
  errors: ['forbidden', 'not_found'],
})

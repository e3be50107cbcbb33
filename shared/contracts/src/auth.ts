import { z } from 'zod'
import { id, success, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'
import { admin, email, personName, user } from './people.ts'

const service = 'auth'

export const signIn = defineOperation({
  name: 'signIn',
  service,
  method: 'GET',
  path: '/auth/signin',
  callers: 'anyone',
  summary:
    'Redirects to the OpenID Connect provider to sign in. Forwards login_hint. Without `provider`, the first one. With end_other_sessions=true the provider asks for a new sign-in, after which the login may end the person’s other sessions.',
  query: z.object({
    login_hint: z.string().max(limits.emailMaxLength).optional(),
    provider: z.string().max(100).optional(),
    end_other_sessions: z.literal('true').optional(),
  }),
  response: z.null(),
  status: 302,
  errors: ['unavailable'],
})

export const signInCallback = defineOperation({
  name: 'signInCallback',
  service,
  method: 'GET',
  path: '/auth/callback',
  callers: 'anyone',
  summary: 'The return from the provider: redirects to /profile with a single-use session_id or an error.',
  query: z.record(z.string(), z.unknown()),
  response: z.null(),
  status: 302,
})

/** The settings that the sign-in page needs before anybody is signed in. */
export const signInOptions = defineOperation({
  name: 'signInOptions',
  service,
  method: 'GET',
  path: '/auth/options',
  callers: 'anyone',
  summary: 'The names of the sign-in providers, and whether there is only the development provider.',
  response: z.object({
    /** The name of the first provider. */
    provider: z.string(),
    /** Every provider, in the order of the page. Absent in earlier versions, which had one. */
    providers: z.array(z.object({ id: z.string(), name: z.string() })).optional(),
    development: z.boolean(),
    setup_token_required: z.boolean(),
  }),
})

/** Anybody can write words into a link to /profile; these come from the browser's own sign-in. */
export const getSignInFailure = defineOperation({
  name: 'getSignInFailure',
  service,
  method: 'GET',
  path: '/auth/failure',
  callers: 'anyone',
  summary: 'Why this browser’s sign-in failed, in the provider’s words, for a minute; null if it did not fail.',
  response: z.object({ error: z.string().nullable(), description: z.string().nullable() }),
})

export const listTokenKeys = defineOperation({
  name: 'listTokenKeys',
  service,
  method: 'GET',
  path: '/auth/jwks',
  callers: 'anyone',
  summary:
    'The public keys of access tokens as a JSON Web Key Set (RFC 7517): the current one, and those before and after it.',
  response: z.object({
    keys: z.array(
      z.object({
        kid: z.string(),
        use: z.literal('sig'),
        alg: z.enum(['ES256', 'RS256']),
        kty: z.string(),
        crv: z.string().optional(),
        x: z.string().optional(),
        y: z.string().optional(),
        n: z.string().optional(),
        e: z.string().optional(),
      }),
    ),
  }),
})

export const login = defineOperation({
  name: 'login',
  service,
  method: 'POST',
  path: '/auth/login',
  callers: 'anyone',
  summary:
    'Exchanges the single-use session_id for a login session (cookies). With end_other_sessions, and if the person signed in again at the provider a moment ago, their other sessions and their monitored session end.',
  body: z.object({ session_id: z.string().min(1).max(200), end_other_sessions: z.boolean().optional() }),
  response: z.object({
    user,
    /** How many other sessions ended; only with `end_other_sessions` and a new sign-in. */
    ended_sessions: z.number().int().optional(),
  }),
  errors: ['invalid_session_id', 'monitoring_conflict', 'deactivated', 'invalid'],
})

export const getProfile = defineOperation({
  name: 'getProfile',
  service,
  method: 'GET',
  path: '/auth/profile',
  callers: 'signed-in',
  summary: 'The signed-in person, and a trainee’s supervisor.',
  response: user.extend({
    /** Null without a supervisor. Absent in earlier versions. */
    supervisor: z
      .object({ id, name: z.string(), email: z.string(), picture: z.string().nullable() })
      .nullable()
      .optional(),
  }),
  errors: ['no_session'],
})

/** See `publicSessionId` of shared/identity. */
const publicSessionId = z.string().regex(/^[\w-]{22}$/)

export const getOwnAccount = defineOperation({
  name: 'getOwnAccount',
  service,
  method: 'GET',
  path: '/auth/record',
  callers: 'signed-in',
  summary: 'The open login sessions of the caller, latest first.',
  response: z.object({
    sessions: z.array(
      z.object({
        id: publicSessionId,
        started_at: time,
        renewed_at: time,
        /** The last use of a page by a person. Absent in answers of earlier versions. */
        used_at: time.optional(),
        expires_at: time,
        current: z.boolean(),
        /**
         * Browser and system at the sign-in, for instance "Firefox on Windows"; null if unknown.
         */
        device: z.string().nullable(),
        /** The network address at the sign-in; null if unknown. */
        address: z.string().nullable(),
      }),
    ),
  }),
})

export const endOwnSession = defineOperation({
  name: 'endOwnSession',
  service,
  method: 'DELETE',
  path: '/auth/sessions/{id}',
  callers: 'signed-in',
  summary: 'Ends one of the caller’s own login sessions at once.',
  params: z.object({ id: publicSessionId }),
  response: success,
  errors: ['no_session', 'not_found', 'invalid'],
})

export const endOtherOwnSessions = defineOperation({
  name: 'endOtherOwnSessions',
  service,
  method: 'DELETE',
  path: '/auth/sessions',
  callers: 'signed-in',
  summary: 'Ends all login sessions of the caller except the one of this call, at once.',
  response: z.object({ success: z.literal(true), ended_sessions: z.number().int() }),
  errors: ['no_session'],
})

export const refreshSession = defineOperation({
  name: 'refreshSession',
  service,
  method: 'POST',
  path: '/auth/refresh',
  callers: 'anyone',
  summary:
    'Issues a new access token for the refresh cookie and rotates the cookie. The session ends when nobody has used the page for its idle time.',
  body: z.object({
    /** Seconds since a person last used the page. Absent from clients of earlier versions: 0. */
    idle_seconds: z.number().int().min(0).optional(),
  }),
  bodyOptional: true,
  response: success,
  errors: ['no_session', 'deactivated', 'account_erased'],
})

const signOutAnswer = z.object({
  success: z.literal(true),
  /** Where the person signs out of the sign-in provider; absent if it offers no sign-out. */
  sign_out_url: z.url({ protocol: /^https?$/ }).optional(),
})

export const logout = defineOperation({
  name: 'logout',
  service,
  method: 'POST',
  path: '/auth/logout',
  callers: 'anyone',
  summary:
    'Ends the login session at once. Does nothing without a session. sign_out_url is the address at which the person signs out of the sign-in provider, too.',
  body: z.object({}),
  bodyOptional: true,
  response: signOutAnswer,
})

/** OpenID Connect Back-Channel Logout 1.0, 2.5 to 2.8. */
export const backchannelLogout = defineOperation({
  name: 'backchannelLogout',
  service,
  method: 'POST',
  path: '/auth/backchannel-logout',
  callers: 'anyone',
  serverCall: true,
  summary:
    'The sign-in provider reports that somebody signed out there: their login sessions end at once. The logout token is signed by the provider and valid once.',
  body: z.object({ logout_token: z.string().max(16_384).default('') }),
  response: success,
  errors: ['invalid_logout_token', 'unavailable', 'too_large', 'invalid'],
})

/** The rule for every new password of an administrator. */
export const newPassword = z
  .string()
  .min(limits.passwordMinLength, `Password must be at least ${limits.passwordMinLength} characters long`)
  .max(limits.passwordMaxLength, `Password must be at most ${limits.passwordMaxLength} characters long`)

export const setupAdmin = defineOperation({
  name: 'setupAdmin',
  service,
  method: 'POST',
  path: '/admin/setup',
  callers: 'anyone',
  summary: 'Creates the first administrator. Clients also use it to check whether one exists.',
  body: z.object({ name: personName, email, password: newPassword }),
  response: z.object({ success: z.literal(true), admin }),
  errors: ['admin_exists', 'setup_token', 'too_many', 'invalid'],
})

export const loginAdmin = defineOperation({
  name: 'loginAdmin',
  service,
  method: 'POST',
  path: '/admin/login',
  callers: 'anyone',
  summary: 'Signs an administrator in with email and password.',
  body: z.object({
    email: z.string().min(1).max(limits.emailMaxLength),
    password: z.string().min(1).max(limits.passwordMaxLength),
  }),
  response: z.object({ success: z.literal(true), admin }),
  errors: ['invalid_credentials', 'too_many', 'invalid'],
})

export const getAdminProfile = defineOperation({
  name: 'getAdminProfile',
  service,
  method: 'GET',
  path: '/admin/profile',
  callers: ['admin'],
  summary: 'The signed-in administrator.',
  response: admin,
  errors: ['no_session', 'forbidden'],
})

export const logoutAdmin = defineOperation({
  name: 'logoutAdmin',
  service,
  method: 'POST',
  path: '/admin/logout',
  callers: 'anyone',
  summary: 'As logout, for administrators.',
  body: z.object({}),
  bodyOptional: true,
  response: signOutAnswer,
})

export const changeAdminPassword = defineOperation({
  name: 'changeAdminPassword',
  service,
  method: 'POST',
  path: '/admin/password',
  callers: ['admin'],
  summary:
    'Changes the caller’s own password and ends their other login sessions, if they have a second factor within ten minutes after the sign-in. A wrong current password counts as a failed login.',
  body: z.object({ current_password: z.string().min(1).max(limits.passwordMaxLength), new_password: newPassword }),
  response: success,
  errors: ['forbidden', 'sign_in_again', 'invalid_credentials', 'conflict', 'too_many', 'invalid'],
})

/** The state of auth's own dependencies, for the administrator's Settings tab. */
export const getSystemStatus = defineOperation({
  name: 'getSystemStatus',
  service,
  method: 'GET',
  path: '/admin/system-status',
  callers: ['admin'],
  summary: 'Whether the database responds, and which sign-in provider is configured.',
  response: z.object({
    database: z.enum(['connected', 'disconnected']),
    authentication: z.object({ status: z.enum(['active', 'needs_update']), provider: z.string() }),
  }),
  errors: ['forbidden'],
})

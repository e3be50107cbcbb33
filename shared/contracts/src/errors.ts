import { z } from 'zod'

/** Every error code of the API with its HTTP status and its default text for people. */
export const errorCodes = {
  malformed: { status: 400, detail: 'The request could not be read.' },
  invalid_logout_token: { status: 400, detail: 'The logout token is not valid.' },
  invalid_unsubscribe_token: { status: 400, detail: 'This link is not valid. Change your mails in your menu.' },
  admin_exists: { status: 400, detail: 'Admin already exists' },
  no_session: { status: 401, detail: 'You are not signed in.' },
  token_expired: { status: 401, detail: 'Your session needs to be refreshed.' },
  deactivated: { status: 401, detail: 'Your account is deactivated. Ask your administrator.' },
  account_erased: {
    status: 401,
    detail: 'Your account was erased, and your saved work with it. Ask your administrator.',
  },
  invalid_credentials: { status: 401, detail: 'Invalid email or password' },
  second_factor_required: { status: 401, detail: 'Confirm with your second factor that it is you.' },
  second_factor_setup_required: { status: 401, detail: 'Administrators need a second factor here. Set one up now.' },
  invalid_second_factor: { status: 401, detail: 'This is wrong, or it was used before. Please try again.' },
  login_expired: { status: 401, detail: 'This took too long. Please enter your password again.' },
  invalid_session_id: { status: 401, detail: 'This sign-in is no longer valid. Please sign in again.' },
  forbidden: { status: 403, detail: 'You are not allowed to do this.' },
  csrf: { status: 403, detail: 'The anti-forgery token is missing or wrong.' },
  cross_site: { status: 403, detail: 'Another website made this request.' },
  sign_in_again: {
    status: 403,
    detail: 'You signed in more than ten minutes ago. Sign out and in again, then repeat this within ten minutes.',
  },
  through_proxy: {
    status: 403,
    detail: 'This installation has no sign-in provider, so it signs nobody in through a proxy.',
  },
  setup_token: { status: 403, detail: 'The setup token is missing or wrong.' },
  notice_unanswered: {
    status: 403,
    detail: 'Please read the notice about monitored sessions first.',
  },
  outside_team: { status: 403, detail: 'Only members of your own team can be assigned.' },
  invalid_invitation: {
    status: 404,
    detail: 'This invitation is no longer valid. Ask the administrator who invited you for a new one.',
  },
  not_found: { status: 404, detail: 'Not found.' },
  method_not_allowed: { status: 405, detail: 'This path does not answer that method.' },
  conflict: { status: 409, detail: 'This conflicts with what is already there.' },
  last_admin: { status: 409, detail: 'The last administrator cannot be removed. Invite another one first.' },
  supervisor_full: { status: 409, detail: 'Supervisor already has 10 users' },
  monitoring_conflict: {
    status: 409,
    detail:
      'You are currently monitoring a playlist from another session. Please complete your current session first or wait 5 minutes before logging in again.',
  },
  monitoring_elsewhere: { status: 409, detail: 'You are watching in another session.' },
  already_reviewed: { status: 409, detail: 'This has already been answered.' },
  edited_elsewhere: { status: 409, detail: 'Somebody changed this meanwhile. Load it again and repeat your change.' },
  too_large: { status: 413, detail: 'The request is too large.' },
  not_json: { status: 415, detail: 'The request must be JSON.' },
  wrong_host: { status: 421, detail: 'Watchline does not answer at this address.' },
  invalid: { status: 422, detail: 'The request is not valid.' },
  too_many: { status: 429, detail: 'Too many requests. Please wait and try again.' },
  internal: { status: 500, detail: 'Something went wrong on our side.' },
  unavailable: { status: 503, detail: 'This part of the system is not available right now. Please try again.' },
  video_data_not_configured: {
    status: 503,
    detail: 'Playlists cannot be read from YouTube: no YouTube API key is configured. Ask your administrator.',
  },
  video_data_refused: {
    status: 503,
    detail: 'YouTube refused our API key. Ask your administrator to check it.',
  },
  video_data_quota: {
    status: 503,
    detail: 'The daily YouTube quota is used up. Nothing was created; please try again tomorrow.',
  },
  video_data_failed: {
    status: 503,
    detail: 'YouTube could not be read just now. Nothing was created; please try again.',
  },
  mail_not_configured: {
    status: 503,
    detail: 'No mail server is configured. Set SMTP_URL and MAIL_FROM, and restart Watchline.',
  },
  mail_refused: { status: 503, detail: 'The mail server did not accept the mail.' },
  overloaded: { status: 503, detail: 'The system is busy. Please try again.' },
  too_slow: { status: 504, detail: 'This part of the system took too long to answer.' },
} as const satisfies Record<string, { status: number; detail: string }>

export type ErrorCode = keyof typeof errorCodes

/**
 * The body of every error response. Only invalid input has `errors`: the path in the body or query,
 * and the problem there. Only `second_factor_required` has `second_factors`: what completes the
 * sign-in, see `secondStepKind`.
 */
export const errorBody = z.object({
  detail: z.string(),
  code: z.string(),
  request_id: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  second_factors: z.array(z.string()).optional(),
})
export type ErrorBody = z.infer<typeof errorBody>

/** A call that did not succeed, in one form for every cause. `status` 0: no answer came. */
export interface Failure {
  status: number
  /**
   * The server's stable code, or `network`, `timeout`, `aborted`, `contract` for a failure on this
   * side.
   */
  code: string
  /** The server's text, if it sent one. */
  detail?: string
  /**
   * The server's text, else the generic one of the HTTP client; `explainFailure` has words for
   * people.
   */
  message: string
  /** Seconds. */
  retryAfter?: number
  errors?: { path: string; message: string }[]
  /** With the code `second_factor_required`: what completes the sign-in. */
  secondFactors?: string[]
}

export const networkFailure: Failure = { status: 0, code: 'network', message: 'Network Error' }
export const abortFailure: Failure = { status: 0, code: 'aborted', message: 'Request aborted' }

export function timeoutFailure(ms: number): Failure {
  return { status: 0, code: 'timeout', message: `timeout of ${ms}ms exceeded` }
}

/**
 * Reads the API's error form. An answer in any other form, such as a proxy's page, keeps its status
 * and gets a generic text.
 */
export function failureOf(response: Response, body: unknown): Failure {
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  const detail = typeof fields.detail === 'string' && fields.detail !== '' ? fields.detail : undefined
  return {
    status: response.status,
    code: typeof fields.code === 'string' ? fields.code : `http_${response.status}`,
    detail,
    message: detail ?? `Request failed with status code ${response.status}`,
    retryAfter: retryAfterOf(response),
    errors: Array.isArray(fields.errors) ? (fields.errors as Failure['errors']) : undefined,
    secondFactors: Array.isArray(fields.second_factors) ? (fields.second_factors as string[]) : undefined,
  }
}

function retryAfterOf(response: Response): number | undefined {
  const header = response.headers.get('retry-after')
  if (!header) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined
}

/** The reason of a failure in words for people: the server's, else what the person can do. */
export function explainFailure({ code, detail, message, status }: Failure): string {
  if (detail) return detail
  if (code === 'network') return 'Check your connection.'
  if (code === 'timeout') return 'Watchline did not answer in time.'
  if (code === 'aborted') return 'The request was cancelled.'
  if (status === 429) return 'Too many requests at once. Please wait a moment.'
  if (status >= 500) return 'Watchline has a problem at the moment. Please try again later.'
  return code === `http_${status}` ? 'Watchline refused the request.' : message
}

/** A failure as RTK Query gives it to a component; it may also be a programming error. */
export function asFailure(error: unknown): Failure {
  if (typeof error === 'object' && error !== null && 'status' in error && 'message' in error) return error as Failure
  const message = typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : ''
  return { status: 0, code: 'internal', message: message || 'Something went wrong in this page.' }
}

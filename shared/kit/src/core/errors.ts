import { type ErrorBody, type ErrorCode, errorCodes } from '@watchline/contracts/errors'

export interface ServiceErrorOptions {
  detail?: string
  errors?: { path: string; message: string }[]
  /** Seconds, for 429, 503 and those 409 that pass with time. */
  retryAfterS?: number
  /** Further fields of the body. */
  fields?: Pick<ErrorBody, 'second_factors'>
  cause?: unknown
  /** Of a caller who is refused before the route knows them; for the security log only. */
  personId?: string
}

/**
 * An error that is sent to the caller: a code of the contract, its status, and a text for people.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly errors: { path: string; message: string }[] | undefined
  readonly retryAfterS: number | undefined
  readonly fields: ServiceErrorOptions['fields']
  readonly personId: string | undefined

  constructor(code: ErrorCode, options: ServiceErrorOptions = {}) {
    super(options.detail ?? errorCodes[code].detail, { cause: options.cause })
    this.name = 'ServiceError'
    this.code = code
    this.status = errorCodes[code].status
    this.errors = options.errors
    this.retryAfterS = options.retryAfterS
    this.fields = options.fields
    this.personId = options.personId
  }

  body(requestId: string): ErrorBody {
    return {
      detail: this.message,
      code: this.code,
      request_id: requestId,
      ...(this.errors && { errors: this.errors }),
      ...this.fields,
    }
  }
}

/** Throws the error of that code: how routes and rules refuse. */
export function fail(code: ErrorCode, options?: ServiceErrorOptions): never {
  throw new ServiceError(code, options)
}

/**
 * Refuses one field of the input: 422 `invalid`. `message` completes the sentence that begins with
 * the path.
 */
export function failField(path: string, message: string): never {
  fail('invalid', { detail: `${path} ${message}`, errors: [{ path, message }] })
}

/** A store or another service is unavailable; the same call may succeed later. */
export class DependencyUnavailable extends Error {
  override name = 'DependencyUnavailable'
}

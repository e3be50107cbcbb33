import type { CookieOptions, Response } from 'express'
import { ServiceError } from '../core/errors.ts'

export interface CookieChange {
  name: string
  /** null removes the cookie. */
  value: string | null
  options: CookieOptions
}

/** An error whose answer also changes cookies. */
export class ErrorWithCookies extends ServiceError {
  readonly cookies: readonly CookieChange[]

  constructor(cookies: readonly CookieChange[], ...error: ConstructorParameters<typeof ServiceError>) {
    super(...error)
    this.cookies = cookies
  }
}

export function changeCookies(res: Response, cookies: readonly CookieChange[]): void {
  for (const { name, value, options } of cookies) {
    if (value === null) res.clearCookie(name, options)
    else res.cookie(name, value, options)
  }
}

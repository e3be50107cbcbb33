/** The names of the cookies of a login session, which auth sets and the gateway reads. */
export interface CookieNames {
  /** HttpOnly, path /: the access token. */
  access: string
  /** HttpOnly, path {@link refreshCookiePath}: the refresh token. */
  refresh: string
  /**
   * Readable by scripts, path /: the anti-forgery token. Its name is the same for http and https.
   */
  xsrf: string
  /**
   * Readable by scripts, path /: {@link AccountKind} of the session, so that a page asks for the
   * right profile first. It grants nothing. Its name is the same for http and https.
   */
  account: string
  /** Whether every cookie must carry the Secure attribute. */
  secure: boolean
}

/** Which profile a page asks for first: that of an administrator, or that of everybody else. */
export type AccountKind = 'admin' | 'user'

export const refreshCookiePath = '/api/auth/refresh'

/**
 * The names depend on the address that people use. With https, prefixes make the browser protect
 * the cookies (RFC 6265bis, 4.1.3). The refresh cookie has a path, so it cannot be `__Host-`.
 */
export function cookieNames(publicUrl: string): CookieNames {
  const secure = publicUrl.startsWith('https:')
  return {
    access: secure ? '__Host-watchline_access' : 'watchline_access',
    refresh: secure ? '__Secure-watchline_refresh' : 'watchline_refresh',
    xsrf: 'XSRF-TOKEN',
    account: 'watchline_account',
    secure,
  }
}

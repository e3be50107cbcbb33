/** The names of the cookies that carry a login session, the same for the gateway that reads and auth that sets them. */
export interface CookieNames {
  /** HttpOnly, path /: the access token. */
  access: string
  /** HttpOnly, path {@link refreshCookiePath}: the refresh token. */
  refresh: string
  /** Readable, path /: the anti-forgery token. Its name is the product's, whatever the protocol. */
  xsrf: string
  /** Whether every cookie must carry the Secure attribute. */
  secure: boolean
}

export const refreshCookiePath = '/api/auth/refresh'

/**
 * Names by the address people use: with https the browser itself guards them by their prefix (RFC 6265bis, 4.1.3). The refresh
 * cookie is confined to a path and so cannot be `__Host-`.
 */
export function cookieNames(publicUrl: string): CookieNames {
  const secure = publicUrl.startsWith('https:')
  return {
    access: secure ? '__Host-watchline_access' : 'watchline_access',
    refresh: secure ? '__Secure-watchline_refresh' : 'watchline_refresh',
    xsrf: 'XSRF-TOKEN',
    secure,
  }
}

import { apiUrl } from './api-url.ts'
import { readCookie } from './cookies.ts'

/** The readable anti-forgery cookie that every GET under /api sets. */
export function readXsrfToken(): string | undefined {
  return readCookie('XSRF-TOKEN')
}

/**
 * Any GET sets a fresh cookie. This one is open to anyone, so that a browser without a session
 * reports no refused call in its console. If it fails, the call that needs the cookie reports it.
 */
export async function refreshXsrfToken(): Promise<void> {
  try {
    await fetch(apiUrl('/auth/options'), { credentials: 'same-origin', cache: 'no-store' })
  } catch {
    // Offline: the call itself reports it.
  }
}

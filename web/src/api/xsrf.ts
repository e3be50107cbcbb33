import { apiUrl } from './api-url.ts'

/** The readable anti-forgery cookie that every GET under /api hands out. */
export function readXsrfToken(): string | undefined {
  const value = /(?:^|;\s*)(?:__Host-)?XSRF-TOKEN=([^;]*)/.exec(document.cookie)?.[1]
  return value ? decodeURIComponent(value) : undefined
}

/** Any GET brings a fresh cookie, whatever it answers. When it fails, the call that needs the cookie will say so. */
export async function refreshXsrfToken(): Promise<void> {
  try {
    await fetch(apiUrl('/admin/profile'), { credentials: 'same-origin', cache: 'no-store' })
  } catch {
    // offline: the call itself tells
  }
}

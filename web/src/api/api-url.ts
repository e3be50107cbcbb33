/** Absolute, because fetch outside a browser knows no page to start from. */
export function apiUrl(path: string): string {
  return new URL(`/api${path}`, window.location.origin).href
}

/** Absolute, because fetch outside a browser has no page to resolve a path against. */
export function apiUrl(path: string): string {
  return new URL(`/api${path}`, window.location.origin).href
}

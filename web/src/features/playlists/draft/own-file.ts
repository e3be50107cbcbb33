const folder = '/media/'

/** The path of an own file, also if it was entered with the address of this page's own server. */
export function withoutOwnOrigin(url: string): string {
  const path = url.startsWith(window.location.origin) ? url.slice(window.location.origin.length) : url
  return path.startsWith(folder) ? path : url
}

export function isOwnFile(url: string | undefined): url is string {
  return url?.startsWith(folder) ?? false
}

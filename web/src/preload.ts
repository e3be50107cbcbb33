import { readAccountKind } from './api/cookies.ts'
import { preloadResponse } from './api/preloaded-responses.ts'
import { firstReads } from './app/first-reads.ts'
import { readLastRole } from './app/last-role.ts'

/** The files of each role's first screen; build/preload-script.ts puts them here. */
declare const __FILES__: Record<string, readonly string[]>

/*
 * A small script that runs as soon as the page arrives. It requests the files of the first screen,
 * the profile and the first answers while the client itself is still loading. A wrong guess costs a
 * download and shows nothing.
 */
const account = readAccountKind()
const { pathname, search } = window.location
if (pathname === '/admin' && account === 'admin') preload('admin', '/admin/profile')
if (pathname === '/dashboard' && account === 'user') preload(readLastRole() ?? 'user', '/auth/profile')

function preload(role: string, profile: string): void {
  preloadResponse(profile)
  for (const href of __FILES__[role] ?? []) {
    const kind = href.endsWith('.css') ? { rel: 'preload', as: 'style' } : { rel: 'modulepreload' }
    document.head.append(Object.assign(document.createElement('link'), { ...kind, href, crossOrigin: '' }))
  }
  // Another tab, or a session, reads other data.
  if (search === '') firstReads[role]?.forEach(preloadResponse)
}

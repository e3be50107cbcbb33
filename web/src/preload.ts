import { readAccountKind } from './api/cookies.ts'
import { preloadResponse } from './api/preloaded-responses.ts'
import { firstReads, followingReads } from './app/first-reads.ts'
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
if (pathname === '/admin' && account === 'admin')
  preload('admin', '/admin/profile', isSetupClosed() ? [] : firstReads.setup)
if (pathname === '/dashboard' && account === 'user') preload(readLastRole() ?? 'user', '/auth/profile')

function preload(role: string, profile: string, moreReads: readonly string[] = []): void {
  preloadResponse(profile)
  for (const href of __FILES__[role] ?? []) {
    const kind = href.endsWith('.css') ? { rel: 'preload', as: 'style' } : { rel: 'modulepreload' }
    document.head.append(Object.assign(document.createElement('link'), { ...kind, href, crossOrigin: '' }))
  }
  // Another tab, or a session, reads other data.
  if (search !== '') return
  for (const path of [...(firstReads[role] ?? []), ...moreReads]) preloadResponse(path, followingReads[path])
}

/** Whether an administrator has closed the first steps in this browser. */
function isSetupClosed(): boolean {
  try {
    return Object.keys(window.localStorage).some(key => key.startsWith('watchline.list.setup-checklist-closed.'))
  } catch {
    return false
  }
}

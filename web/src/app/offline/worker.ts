/** The used part of the worker's global scope, which TypeScript's DOM library does not declare. */
export interface WorkerScope {
  addEventListener(type: 'install' | 'activate', listener: (event: WorkerEvent) => void): void
  addEventListener(type: 'fetch', listener: (event: PageRequest) => void): void
  skipWaiting(): Promise<void>
  caches: CacheStorage
  clients: { matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<readonly unknown[]> }
  fetch: typeof fetch
  location: { origin: string }
  registration: { installing: unknown; waiting: unknown }
}

interface WorkerEvent {
  waitUntil(work: Promise<unknown>): void
}

interface PageRequest extends WorkerEvent {
  request: Request
  respondWith(response: Promise<Response>): void
}

/** The files of one build. They have a hash in their name, except for the offline page. */
export interface Build {
  version: string
  files: readonly string[]
}

const cachePrefix = 'watchline-build-'
const offlinePage = '/offline.html'
/** Addresses that the client does not own: the browser loads them as if there were no worker. */
const serverPaths = ['/api/', '/oidc/', '/media/', '/internal/']

/**
 * Keeps the files of this build in the browser and shows the offline page instead of a page that
 * cannot be loaded. It never stores pages, answers of the API or videos.
 *
 * A new worker takes over at once. Pages of earlier builds stay open and load their files from the
 * caches of those builds, which are removed when no page is open.
 */
export function runWorker(scope: WorkerScope, { version, files }: Build): void {
  const cacheName = cachePrefix + version

  scope.addEventListener('install', event => event.waitUntil(storeBuild()))
  scope.addEventListener('fetch', event => {
    const { request } = event
    const { origin, pathname } = new URL(request.url)
    if (request.method !== 'GET' || origin !== scope.location.origin) return
    if (pathname.startsWith('/assets/')) event.respondWith(loadFile(request))
    else if (request.mode === 'navigate' && !serverPaths.some(path => pathname.startsWith(path))) {
      event.respondWith(loadPage(request))
      event.waitUntil(removeOtherBuilds())
    }
  })

  async function storeBuild(): Promise<void> {
    const cache = await scope.caches.open(cacheName)
    await cache.addAll([...files])
    await scope.skipWaiting()
  }

  async function loadFile(request: Request): Promise<Response> {
    return (await scope.caches.match(request)) ?? scope.fetch(request)
  }

  async function loadPage(request: Request): Promise<Response> {
    try {
      return await scope.fetch(request)
    } catch (error) {
      const page = await scope.caches.match(offlinePage, { cacheName })
      if (page) return page
      throw error
    }
  }

  async function removeOtherBuilds(): Promise<void> {
    // A newer worker may be storing its build at this moment.
    if (scope.registration.installing || scope.registration.waiting) return
    const pages = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true })
    if (pages.length > 0) return
    const names = await scope.caches.keys()
    const otherNames = names.filter(name => name.startsWith(cachePrefix) && name !== cacheName)
    await Promise.all(otherNames.map(name => scope.caches.delete(name)))
  }
}

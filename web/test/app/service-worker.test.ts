import { beforeEach, expect, test } from '@jest/globals'
import { runWorker, type WorkerScope } from '../../src/app/offline/worker.ts'

const origin = 'https://watchline.test'
const addressOf = (request: RequestInfo | URL) =>
  new URL(request instanceof Request ? request.url : request, origin).href

/** Caches that live in memory. `addAll` fetches, as in a browser. */
function createFakeCaches(load: (url: string) => Response) {
  const caches = new Map<string, Map<string, Response>>()
  return {
    names: () => [...caches.keys()],
    urls: (name: string) => [...(caches.get(name)?.keys() ?? [])],
    storage: {
      open: async (name: string) => {
        const entries = caches.get(name) ?? new Map<string, Response>()
        caches.set(name, entries)
        return {
          addAll: async (files: string[]) => {
            for (const file of files) entries.set(addressOf(file), load(addressOf(file)))
          },
        }
      },
      match: async (request: RequestInfo, options?: { cacheName: string }) => {
        const searched = options ? [caches.get(options.cacheName)] : [...caches.values()]
        return searched.map(entries => entries?.get(addressOf(request))).find(response => response !== undefined)
      },
      keys: async () => [...caches.keys()],
      delete: async (name: string) => caches.delete(name),
    } as unknown as CacheStorage,
  }
}

let isOnline: boolean
let openPages: unknown[]
let registration: { installing: unknown; waiting: unknown }
let caches: ReturnType<typeof createFakeCaches>

beforeEach(() => {
  isOnline = true
  openPages = []
  registration = { installing: null, waiting: null }
  caches = createFakeCaches(url => new Response(`stored ${url}`))
})

function startWorker(version: string, files: string[]) {
  // biome-ignore lint/suspicious/noExplicitAny: the fake events have only what the worker uses
  const listeners: Record<string, (event: any) => void> = {}
  const scope = {
    addEventListener: (type: string, listener: () => void) => {
      listeners[type] = listener
    },
    skipWaiting: async () => {},
    caches: caches.storage,
    clients: { matchAll: async () => openPages },
    fetch: async (request: Request) => {
      if (!isOnline) throw new TypeError('Failed to fetch')
      return new Response(`loaded ${request.url}`)
    },
    location: { origin },
    registration,
  }
  runWorker(scope as unknown as WorkerScope, { version, files })

  async function dispatch(type: string, event: object = {}) {
    const work: Promise<unknown>[] = []
    let response: Promise<Response> | undefined
    listeners[type]!({
      ...event,
      waitUntil: (promise: Promise<unknown>) => work.push(promise),
      respondWith: (promise: Promise<Response>) => {
        response = promise
      },
    })
    await Promise.all(work)
    return (await response)?.text()
  }
  return {
    install: () => dispatch('install'),
    /** The text of the response, or undefined if the worker leaves the request to the browser. */
    load(path: string, { navigate = false, method = 'GET' } = {}) {
      const request = new Request(new URL(path, origin), { method })
      Object.defineProperty(request, 'mode', { value: navigate ? 'navigate' : 'cors' })
      return dispatch('fetch', { request })
    },
  }
}

const build1 = ['/assets/app-1.js', '/offline.html']
const build2 = ['/assets/app-2.js', '/offline.html']

test('the files of the build come from the browser, also without connection', async () => {
  const worker = startWorker('1', build1)
  await worker.install()
  isOnline = false
  expect(await worker.load('/assets/app-1.js')).toBe(`stored ${origin}/assets/app-1.js`)
})

test('pages come from the server, and the offline page is shown instead without connection', async () => {
  const worker = startWorker('1', build1)
  await worker.install()
  expect(await worker.load('/dashboard', { navigate: true })).toBe(`loaded ${origin}/dashboard`)
  isOnline = false
  expect(await worker.load('/dashboard', { navigate: true })).toBe(`stored ${origin}/offline.html`)
})

test('calls of the API, videos and other hosts are left to the browser, and nothing of them is stored', async () => {
  const worker = startWorker('1', build1)
  await worker.install()
  for (const path of ['/api/auth/profile', '/media/film.webm', 'https://www.youtube.com/iframe_api', '/favicon.svg'])
    expect(await worker.load(path)).toBeUndefined()
  for (const path of ['/api/auth/signin', '/oidc/authorize', '/media/film.webm'])
    expect(await worker.load(path, { navigate: true })).toBeUndefined()
  expect(await worker.load('/dashboard', { method: 'POST', navigate: true })).toBeUndefined()
  await worker.load('/dashboard', { navigate: true })
  expect(caches.urls('watchline-build-1')).toEqual(build1.map(addressOf))
})

test('after an update an open page still loads the files of its own build', async () => {
  await startWorker('1', build1).install()
  openPages = ['a page of build 1']
  const worker = startWorker('2', build2)
  await worker.install()
  await worker.load('/dashboard', { navigate: true })
  expect(await worker.load('/assets/app-1.js')).toBe(`stored ${origin}/assets/app-1.js`)
})

test('the files of earlier builds go when no page is open', async () => {
  await startWorker('1', build1).install()
  const worker = startWorker('2', build2)
  await worker.install()
  await worker.load('/dashboard', { navigate: true })
  expect(caches.names()).toEqual(['watchline-build-2'])
})

test('a worker never removes the files that a newer one is storing', async () => {
  const worker = startWorker('1', build1)
  await worker.install()
  registration.installing = 'the next worker'
  await startWorker('2', build2).install()
  await worker.load('/dashboard', { navigate: true })
  expect(caches.names()).toEqual(['watchline-build-1', 'watchline-build-2'])
})

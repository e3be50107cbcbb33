import type { Role } from '@watchline/contracts/people'
import { listOrderKey } from '@watchline/identity/name-key'
import type { PictureLoaderOptions } from '@watchline/kit/http/picture-loader'
import { newId } from '@watchline/kit/mongo/database'
import { type ApiResponse, apiClient, type RequestOptions, sendRequest } from '@watchline/testing/api-client'
import { createTestWorld, type TestWorld, type TestWorldOptions } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { createArgon2id } from '../src/actions/hash-password.ts'
import { type AuthConfig, developmentAccountIssuer } from '../src/config.ts'
import { searchWords } from '../src/rules/search.ts'
import { type AuthService, createAuthService } from '../src/service.ts'
import { authConfig } from './_config.ts'

/** Cheap, because tests hash often. */
const testHashing = createArgon2id({ memoryCost: 1_024, timeCost: 1, parallelism: 1 })

export const rootAdmin = { name: 'First Admin', email: 'root@example.org', password: 'correct horse 9' }

/** The fields of a stored person that tests read. */
interface StoredRow {
  _id: string
  role: Role
  supervisor_id: string | null
  manager_id: string | null
  team_size: number
  version: number
}

export interface Person {
  id: string
  email: string
  role: Role
  version: number
}

export type AuthWorld = Awaited<ReturnType<typeof startAuth>>

/**
 * The auth service on its own database, with a manual clock. Counts the calls of password hashing.
 */
export async function startAuth(
  settings: Partial<AuthConfig> = {},
  options: Omit<TestWorldOptions, 'clock'> & { world?: TestWorld; pictures?: PictureLoaderOptions } = {},
) {
  const clock = createManualClock(Date.now())
  const world = options.world ?? (await createTestWorld({ ...options, clock }))
  const config = authConfig(world, settings)
  const hashes = { created: 0, verified: 0 }
  const service: AuthService = createAuthService(config, world.ports, {
    pictures: options.pictures,
    hashing: {
      hash: password => {
        hashes.created += 1
        return testHashing.hash(password)
      },
      verify: (passwordHash, password) => {
        hashes.verified += 1
        return testHashing.verify(passwordHash, password)
      },
      isOutdated: testHashing.isOutdated,
    },
  })
  const { url } = await service.start()
  const database = world.database('auth')
  let nextIndex = 0

  /** Stores a person as a sign-in would. Tests change people through the API only. */
  async function addPerson(
    role: Role,
    fields: { name?: string; email?: string; picture?: string } = {},
  ): Promise<Person> {
    const id = newId()
    const email = fields.email ?? `${role}-${id}@example.org`
    const name = fields.name ?? `${role} ${id.slice(-5)}`
    nextIndex += 1
    await database.collection<{ _id: string }>('people').insertOne({
      _id: id,
      ...(role !== 'admin' && { issuer: developmentAccountIssuer, subject: email }),
      name,
      email,
      picture: fields.picture ?? null,
      role,
      supervisor_id: null,
      manager_id: null,
      created_at: new Date(clock.now() + nextIndex),
      version: 1,
      team_size: 0,
      search_words: searchWords(name, email),
      name_key: listOrderKey(name),
    } as never)
    return { id, email, role, version: 1 }
  }

  const callAs = (caller: { id: string; version?: number }, sid?: string) => apiClient(url, world.token(caller, sid))

  return {
    world,
    clock,
    config,
    service,
    url,
    hashes,
    database,
    addPerson,
    callAs,
    anonymous: apiClient(url),
    findPerson: (id: string) => database.collection<StoredRow>('people').findOne({ _id: id }),
    /** The published events, or those of one subject, oldest first. */
    listEvents: async (subject?: string) =>
      (
        await database
          .collection('outbox')
          .find(subject ? { 'event.subject': subject } : {})
          .sort({ seq: 1 })
          .toArray()
      ).map(row => row.event as { type: string; subject: string; data: Record<string, unknown> }),
    openBrowser: () => createBrowser(url, config.publicUrl),
    stop: async () => {
      await service.stop()
      await world.close()
    },
  }
}

export interface Visit {
  status: number
  location: string | undefined
  text: string
  setCookies: string[]
}

/** A browser that stores cookies with their paths and calls the service as the gateway does. */
export function createBrowser(serviceUrl: string, publicUrl: string) {
  const jar = new Map<string, { value: string; path: string }>()
  const cookiesFor = (path: string) =>
    [...jar]
      .filter(([, cookie]) => path.startsWith(cookie.path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')

  function storeCookies(setCookies: string[]) {
    for (const line of setCookies) {
      const [pair = '', ...attributes] = line.split(';').map(part => part.trim())
      const separator = pair.indexOf('=')
      const name = pair.slice(0, separator)
      const path = attributes.find(attribute => /^path=/i.test(attribute))?.slice(5) ?? '/'
      const expires = attributes.find(attribute => /^expires=/i.test(attribute))?.slice(8)
      if (expires && Date.parse(expires) <= Date.UTC(1971, 0, 1)) jar.delete(name)
      else jar.set(name, { value: pair.slice(separator + 1), path })
    }
  }

  async function visit(url: string, init: RequestOptions = {}): Promise<Visit> {
    const target = new URL(url, publicUrl)
    if (target.origin !== publicUrl) throw new Error(`this browser does not go to ${target.origin}`)
    const { status, headers, text } = await sendRequest(`${serviceUrl}${target.pathname}${target.search}`, {
      ...init,
      headers: {
        cookie: cookiesFor(target.pathname),
        'x-forwarded-host': target.host,
        'x-forwarded-proto': target.protocol.slice(0, -1),
        ...init.headers,
      },
    })
    const setCookies = headers.getSetCookie()
    storeCookies(setCookies)
    const location = headers.get('location') ?? undefined
    return { status, location: location && new URL(location, target).href, text, setCookies }
  }

  /** Follows redirects to the first page or to /profile. Returns the address and the page. */
  async function follow(url: string, init?: RequestOptions): Promise<{ url: URL; page: Visit | undefined }> {
    let address = url
    let page = await visit(address, init)
    for (let redirectCount = 0; redirectCount < 15; redirectCount += 1) {
      if (!page.location) return { url: new URL(address, publicUrl), page }
      address = page.location
      if (new URL(address).pathname === '/profile') return { url: new URL(address), page: undefined }
      page = await visit(address)
    }
    throw new Error('too many redirects')
  }

  async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    const response = await sendRequest(`${serviceUrl}${path}`, {
      method: 'POST',
      headers: { cookie: cookiesFor(path), 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    storeCookies(response.headers.getSetCookie())
    return response
  }

  async function beginSignIn(email: string): Promise<string> {
    const { url } = await follow(`/api/auth/signin?login_hint=${encodeURIComponent(email)}`)
    const sessionId = new URLSearchParams(url.hash.slice(1)).get('session_id')
    if (!sessionId) throw new Error(`the sign-in ended at ${url}`)
    return sessionId
  }

  return {
    jar,
    visit,
    follow,
    post,
    /** Signs in at the provider and returns the session_id. */
    beginSignIn,
    signIn: async (email: string, headers?: Record<string, string>) =>
      post('/api/auth/login', { session_id: await beginSignIn(email) }, headers),
    /** The access token in the cookie, which the gateway forwards. */
    token: () => decodeURIComponent(jar.get('watchline_access')?.value ?? ''),
    cookiesFor,
  }
}

import { limits } from '@watchline/contracts/limits'
import { email as emailRule, personName } from '@watchline/contracts/people'
import { createHttpServer } from '@watchline/kit/http/http-server'
import type { Logger } from '@watchline/kit/observability/log'
import { ConfigError } from '@watchline/kit/process/config'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import type { CustomFetch } from 'openid-client'
import { type AuthConfig, developmentAccountIssuer, developmentIssuer } from '../../config.ts'
import { nameFromEmail } from '../../rules/account.ts'
import type { InvitedPeopleStore } from '../../store/invited-people.ts'
import type { PeopleStore } from '../../store/people.ts'
import type { PeopleDirectory } from '../../store/people-directory.ts'
import { accountPage, contentSecurityPolicy, problemPage } from './account-page.ts'
import { createOidcConfiguration, developmentClient, sessionCookie } from './oidc-configuration.ts'
import type { ProviderStore } from './provider-store.ts'

const maxListedAccounts = 100
const pageHeaders = { 'content-security-policy': contentSecurityPolicy, 'cache-control': 'no-store' }

export interface DevelopmentProviderDeps {
  config: AuthConfig
  people: PeopleStore
  directory: PeopleDirectory
  invited: InvitedPeopleStore
  store: ProviderStore
  log: Logger
}

export interface DevelopmentProvider {
  start(): Promise<void>
  stop(): Promise<void>
  mount(app: Express): void
  /** Sends requests for the provider's public address to a port of its own in this process. */
  fetch: CustomFetch
}

/**
 * An OpenID Connect provider for development and tests. It signs anybody in as anybody, so
 * production refuses it (`checkProvider`). Every sign-in shows its page or uses its login_hint;
 * none is remembered.
 */
export function createDevelopmentProvider(deps: DevelopmentProviderDeps): DevelopmentProvider {
  const { config, people, directory, invited, store, log } = deps
  let provider: import('oidc-provider').Provider | undefined
  let handleRequest: (req: Request, res: Response) => Promise<void>
  // Sign-ins that are under way when this process stops still need the provider after the process
  // has closed the port that others use.
  const ownServer = createHttpServer(
    express().use(developmentClient.mount, (req, res) => handleRequest(req, res)),
    { port: 0, host: '127.0.0.1', keepAliveTimeoutMs: 65_000, requestTimeoutMs: 30_000 },
  )
  let ownAddress: string | undefined

  async function start() {
    // Imported on start, so that processes with another provider never load the library.
    const { Provider, interactionPolicy } = await importLibrary()
    provider = new Provider(developmentIssuer(config)!, {
      ...createOidcConfiguration(config, store, await store.signingKey(), findName),
      interactions: {
        policy: [interactionPolicy.base().get('login')],
        url: (_ctx: unknown, { uid }: { uid: string }) => `${developmentClient.mount}/interaction/${uid}`,
      },
      // The only client is Watchline itself, so there is no consent page.
      loadExistingGrant: async (ctx: { oidc: { session: { accountId: string } } }) => {
        const grant = new provider!.Grant({ clientId: developmentClient.id, accountId: ctx.oidc.session.accountId })
        grant.addOIDCScope('openid email profile')
        await grant.save()
        return grant
      },
    })
    provider.proxy = true
    // The library would tell browsers the protocol that the gateway uses here.
    Object.defineProperty(provider.request, 'protocol', { value: new URL(config.publicUrl).protocol.slice(0, -1) })
    provider.on('server_error', (_ctx, error) => log.error({ err: error }, 'development provider failed'))
    handleRequest = provider.callback()
    ownAddress = (await ownServer.listen()).url
  }

  /**
   * The name typed for an account, otherwise the person's, otherwise one derived from the address.
   */
  async function findName(email: string): Promise<string> {
    const typedName = await store.name(email)
    if (typedName) return typedName
    const person = await people.byIdentity({ issuer: developmentAccountIssuer, subject: email })
    return (person ?? (await invited.findInvited(email)))?.name ?? nameFromEmail(email)
  }

  async function finishSignIn(req: Request, res: Response, email: string) {
    await provider!.interactionFinished(req, res, { login: { accountId: email, remember: false } })
  }

  async function showPage(req: Request, res: Response, problem?: string) {
    const search = typeof req.query.q === 'string' ? req.query.q.slice(0, limits.nameMaxLength) : ''
    const accounts = await directory.searchAccounts(developmentAccountIssuer, search, maxListedAccounts)
    res.status(problem ? 422 : 200).set(pageHeaders)
    res.type('html').send(accountPage({ action: `${req.baseUrl}${req.path}`, ...accounts, search, problem }))
  }

  const router = express.Router()
  router.get('/interaction/:uid', async (req, res) => {
    const { params } = await provider!.interactionDetails(req, res)
    const hint = emailRule.safeParse(params.login_hint)
    if (hint.success && req.query.q === undefined) await finishSignIn(req, res, hint.data)
    else await showPage(req, res)
  })
  router.post('/interaction/:uid', express.urlencoded({ extended: false, limit: '10kb' }), async (req, res) => {
    await provider!.interactionDetails(req, res)
    const { email, name } = Object(req.body) as { email?: unknown; name?: unknown }
    const account = emailRule.safeParse(email)
    if (!account.success) return showPage(req, res, 'This is not an email address.')
    const typedName = personName.safeParse(name)
    if (typedName.success) await store.saveName(account.data, typedName.data)
    await finishSignIn(req, res, account.data)
  })
  router.use((req, res) => {
    // With the cookie of an earlier sign-in the library would skip the page.
    req.headers.cookie = removeSessionCookie(req.headers.cookie)
    return handleRequest(req, res)
  })
  router.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
    const { statusCode, error_description } = Object(error) as { statusCode?: number; error_description?: string }
    const isClientError = statusCode !== undefined && statusCode < 500
    if (!isClientError) log.error({ err: error }, 'development provider failed')
    res.status(isClientError ? statusCode : 500).set(pageHeaders)
    const description = isClientError ? error_description : undefined
    res.type('html').send(problemPage(description ?? 'This sign-in has expired. Please begin again.'))
  })

  return {
    start,
    stop: ownServer.close,
    mount: app => app.use(developmentClient.mount, router),
    fetch: (url, init) => {
      if (!ownAddress) throw new Error('the development provider has not started')
      const { origin, host, protocol } = new URL(config.publicUrl)
      const headers = { ...init.headers, 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) }
      return fetch(url.replace(origin, ownAddress), { ...init, headers } as RequestInit)
    },
  }
}

function removeSessionCookie(cookies: string | undefined): string | undefined {
  return cookies
    ?.split(';')
    .filter(cookie => !cookie.trim().startsWith(sessionCookie))
    .join(';')
}

/** The library is a development dependency: production images do not have it. */
async function importLibrary() {
  try {
    return await import('oidc-provider')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new ConfigError(
      'OIDC_ISSUER: nothing was given, accepted is the address of a sign-in provider. This installation has no development provider.',
    )
  }
}

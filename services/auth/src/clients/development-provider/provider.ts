import { createHmac } from 'node:crypto'
import { limits } from '@watchline/contracts/limits'
import { email as emailRule, personName } from '@watchline/contracts/people'
import type { Logger } from '@watchline/kit/observability/log'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import type { CustomFetch } from 'openid-client'
import { type AuthConfig, developmentAccounts, developmentIssuer } from '../../config.ts'
import { nameFromEmail } from '../../rules/account.ts'
import type { InvitedPeopleStore } from '../../store/invited-people.ts'
import type { PeopleStore } from '../../store/people.ts'
import { accountPage, pageSecurity, problemPage } from './account-page.ts'
import type { ProviderStore } from './provider-store.ts'

export const developmentClient = { id: 'watchline', mount: '/oidc' }

const listed = 100
const interactionTtlS = 3_600

export interface DevelopmentProvider {
  start(): Promise<void>
  mount(app: Express): void
  /** Reaches the provider where it is, in this very process, whatever address people use for it. */
  fetch: CustomFetch
}

/**
 * An OpenID Connect provider for development and tests: it signs anybody in as anybody, so production refuses it (checkProvider).
 * It keeps nobody signed in: every sign-in shows its page, or follows its login_hint.
 */
export function createDevelopmentProvider(options: {
  config: AuthConfig
  people: PeopleStore
  invited: InvitedPeopleStore
  store: ProviderStore
  log: Logger
}): DevelopmentProvider {
  const { config, people, invited, store, log } = options
  const issuer = developmentIssuer(config)!
  const cookieKey = createHmac('sha256', config.cookieSecret).update('development provider').digest('hex')
  let provider: import('oidc-provider').Provider | undefined
  let answer: (req: Request, res: Response) => Promise<void>
  let ownAddress: string | undefined

  async function start() {
    // Loaded here, so that a process with a provider of its own never has it in memory.
    const { Provider, interactionPolicy } = await import('oidc-provider')
    provider = new Provider(issuer, {
      adapter: store.adapter,
      jwks: { keys: [await store.signingKey()] },
      clients: [
        {
          client_id: developmentClient.id,
          redirect_uris: [`${config.publicUrl}/api/auth/callback`],
          token_endpoint_auth_method: 'none',
          grant_types: ['authorization_code'],
          response_types: ['code'],
        },
      ],
      pkce: { required: () => true },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      conformIdTokenClaims: false,
      features: {
        devInteractions: { enabled: false },
        rpInitiatedLogout: { enabled: false },
        resourceIndicators: { enabled: false },
      },
      interactions: {
        policy: [interactionPolicy.base().get('login')],
        url: (_ctx: unknown, { uid }: { uid: string }) => `${developmentClient.mount}/interaction/${uid}`,
      },
      cookies: {
        keys: [cookieKey],
        names: {
          session: 'watchline_dev_session',
          interaction: 'watchline_dev_interaction',
          resume: 'watchline_dev_resume',
        },
        long: { path: developmentClient.mount, httpOnly: true, sameSite: 'lax' },
        short: { httpOnly: true, sameSite: 'lax' },
      },
      ttl: {
        AccessToken: 300,
        AuthorizationCode: 60,
        IdToken: 300,
        Grant: 600,
        Session: 600,
        Interaction: interactionTtlS,
      },
      clientBasedCORS: () => false,
      findAccount: async (_ctx: unknown, email: string) => ({
        accountId: email,
        claims: async () => ({ sub: email, email, email_verified: true, name: await nameOf(email) }),
      }),
      // Nobody is asked for consent: the one client is ourselves.
      loadExistingGrant: async (ctx: { oidc: { session: { accountId: string } } }) => {
        const grant = new provider!.Grant({ clientId: developmentClient.id, accountId: ctx.oidc.session.accountId })
        grant.addOIDCScope('openid email profile')
        await grant.save()
        return grant
      },
      renderError: (ctx: { type: string; body: string }, out: { error: string; error_description?: string }) => {
        ctx.type = 'html'
        ctx.body = problemPage(out.error_description ?? out.error)
      },
    })
    provider.proxy = true
    provider.on('server_error', (_ctx, error) => log.error({ err: error }, 'the development provider failed'))
    answer = provider.callback()
  }

  /** The name typed for an account, else the person's, else one made of the address. */
  async function nameOf(email: string): Promise<string> {
    const typed = await store.name(email)
    if (typed) return typed
    const person = await people.byIdentity({ issuer: developmentAccounts, subject: email })
    return (person ?? (await invited.findInvited(email)))?.name ?? nameFromEmail(email)
  }

  async function finish(req: Request, res: Response, email: string) {
    await provider!.interactionFinished(req, res, { login: { accountId: email, remember: false } })
  }

  async function showPage(req: Request, res: Response, problem?: string) {
    const search = typeof req.query.q === 'string' ? req.query.q.slice(0, limits.nameMaxLength) : ''
    const found = await people.searchAccounts(developmentAccounts, search, listed)
    res.status(problem ? 422 : 200)
    res.set({ 'content-security-policy': pageSecurity, 'cache-control': 'no-store' })
    res.type('html').send(accountPage({ action: `${req.baseUrl}${req.path}`, ...found, search, problem }))
  }

  const router = express.Router()
  router.get('/interaction/:uid', async (req, res) => {
    const { params } = await provider!.interactionDetails(req, res)
    const hint = emailRule.safeParse(params.login_hint)
    if (hint.success && req.query.q === undefined) await finish(req, res, hint.data)
    else await showPage(req, res)
  })
  router.post('/interaction/:uid', express.urlencoded({ extended: false, limit: '10kb' }), async (req, res) => {
    await provider!.interactionDetails(req, res)
    const { email, name } = Object(req.body) as { email?: unknown; name?: unknown }
    const account = emailRule.safeParse(email)
    if (!account.success) return showPage(req, res, 'This is not an e-mail address.')
    const typed = personName.safeParse(name)
    if (typed.success) await store.saveName(account.data, typed.data)
    await finish(req, res, account.data)
  })
  router.use((req, res) => {
    // Whoever signed in before is not remembered: with their session the library would skip the page.
    req.headers.cookie = withoutSession(req.headers.cookie)
    return answer(req, res)
  })
  router.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
    const { statusCode, error_description } = Object(error) as { statusCode?: number; error_description?: string }
    const isKnown = statusCode !== undefined && statusCode < 500
    if (!isKnown) log.error({ err: error }, 'the development provider failed')
    res.status(isKnown ? statusCode : 500).set({ 'content-security-policy': pageSecurity, 'cache-control': 'no-store' })
    const words = isKnown ? error_description : undefined
    res.type('html').send(problemPage(words ?? 'This sign-in has expired. Please begin again.'))
  })

  return {
    start,
    mount: app => {
      // Any request tells where this process listens; the one that begins a sign-in comes before the provider is needed.
      app.use((req, _res, next) => {
        const { localAddress = '127.0.0.1', localPort } = req.socket
        ownAddress ??= `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
        next()
      })
      app.use(developmentClient.mount, router)
    },
    fetch: (url, init) => {
      if (!ownAddress) throw new Error('the development provider is not reached before the service is')
      const { origin, host, protocol } = new URL(config.publicUrl)
      const headers = { ...init.headers, 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) }
      return fetch(url.replace(origin, ownAddress), { ...init, headers } as RequestInit)
    },
  }
}

function withoutSession(cookies: string | undefined): string | undefined {
  return cookies
    ?.split(';')
    .filter(cookie => !cookie.trim().startsWith('watchline_dev_session'))
    .join(';')
}

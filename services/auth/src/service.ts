import { createCallerIdentification } from '@watchline/identity/caller'
import { cookieNames } from '@watchline/identity/cookies'
import { createTokenSigner, createTokenVerifier } from '@watchline/identity/tokens'
import { buildService, createServiceHost, type Ports, type Service } from '@watchline/kit/process/service-host'
import { createPasswordHasher, type PasswordHashing } from './actions/hash-password.ts'
import { type Organisation, seedOrganisation } from './actions/seed-organisation.ts'
import { createDevelopmentProvider, developmentClient } from './clients/development-provider/provider.ts'
import { createProviderStore } from './clients/development-provider/provider-store.ts'
import { createIdentityProvider } from './clients/identity-provider.ts'
import { type AuthConfig, checkProvider, developmentAccounts, developmentIssuer } from './config.ts'
import type { AuthContext } from './context.ts'
import { createImportRunner } from './jobs/people-import/import-runner.ts'
import { createRevocationSync } from './jobs/revocation-sync.ts'
import { createRefreshTokens } from './routes/cookies/refresh-tokens.ts'
import { createSignInCookies } from './routes/cookies/sign-in-cookies.ts'
import { internalRoutes, routes } from './routes/index.ts'
import { createAuditStore } from './store/audit.ts'
import { createCredentialStore } from './store/credentials.ts'
import { isDatabaseResponding } from './store/database-health.ts'
import { createImportStore } from './store/imports.ts'
import { createInvitedPeopleStore } from './store/invited-people.ts'
import { createPeopleStore } from './store/people.ts'
import { createSessionStore } from './store/sessions.ts'
import { createSignInCodeStore } from './store/sign-in-codes.ts'
import { createSupervisorRequestStore } from './store/supervisor-requests.ts'

export type { Organisation }

export interface AuthService extends Service {
  /** Brings in an organisation's people; call it when the service has started. Harmless when they are there. Answers ids by e-mail. */
  seed(organisation: Organisation): Promise<ReadonlyMap<string, string>>
}

export interface Overrides {
  hashing?: PasswordHashing
}

/** The auth service, wired. Throws a ConfigError where production would be left with the development provider. */
export function createAuthService(config: AuthConfig, ports: Ports, overrides: Overrides = {}): AuthService {
  checkProvider(config)
  const host = createServiceHost('auth', config, ports)
  const { connection, clock, log } = host
  const people = createPeopleStore(connection)
  const invited = createInvitedPeopleStore(connection)
  const imports = createImportStore(connection)
  const audit = createAuditStore(connection)
  const importRunner = createImportRunner({ imports, invited, outbox: host.outbox, audit, clock, log })
  const ownIssuer = developmentIssuer(config)
  const development = ownIssuer
    ? createDevelopmentProvider({ config, people, invited, store: createProviderStore(connection), log })
    : undefined
  const cookies = cookieNames(config.publicUrl)

  const ctx: AuthContext = {
    config,
    people,
    invited,
    imports,
    importRunner,
    requests: createSupervisorRequestStore(connection),
    audit,
    isDatabaseResponding: () => isDatabaseResponding(connection),
    credentials: createCredentialStore(connection),
    sessions: createSessionStore(connection),
    signInCodes: createSignInCodeStore(connection),
    outbox: host.outbox,
    live: host.live,
    clock,
    log,
    passwords: createPasswordHasher(overrides.hashing),
    signer: createTokenSigner(config.tokenPrivateKey),
    tokens: createTokenVerifier(config.tokenPublicKey),
    refreshTokens: createRefreshTokens(config.refreshSecret),
    cookies,
    signInCookies: createSignInCookies({ cookieSecret: config.cookieSecret, secure: cookies.secure }),
    provider: createIdentityProvider({
      issuer: ownIssuer ?? config.oidcIssuer!,
      accounts: ownIssuer && developmentAccounts,
      clientId: ownIssuer ? developmentClient.id : config.oidcClientId!,
      clientSecret: ownIssuer ? undefined : config.oidcClientSecret,
      redirectUri: `${config.publicUrl}/api/auth/callback`,
      clock,
      log,
      fetch: development?.fetch,
    }),
  }

  const service = buildService(host, {
    ctx,
    routes,
    identify: createCallerIdentification(host, { find: id => people.byId(id) }),
    lifecycles: [
      { start: people.addSearchWords, stop: () => {} },
      createRevocationSync(ctx),
      importRunner,
      ...(development ? [{ start: development.start, stop: () => {} }] : []),
    ],
    internalRoutes,
    mount: development?.mount,
  })
  return { ...service, seed: organisation => seedOrganisation(ctx, organisation) }
}

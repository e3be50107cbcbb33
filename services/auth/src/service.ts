import { createCallerIdentification } from '@watchline/identity/caller'
import { cookieNames } from '@watchline/identity/cookies'
import { createErasureJobs } from '@watchline/identity/erasure-jobs'
import { createTokenIssuer } from '@watchline/identity/tokens'
import { createWakeup } from '@watchline/kit/core/repeat'
import { createSecretBox } from '@watchline/kit/core/secret-box'
import { createInternalClient } from '@watchline/kit/http/internal-client'
import { createPictureLoader, type PictureLoaderOptions } from '@watchline/kit/http/picture-loader'
import {
  buildService,
  createServiceHost,
  type Ports,
  type Service,
  type ServiceHost,
} from '@watchline/kit/process/service-host'
import { eraseMentions } from './actions/erase-mentions.ts'
import { createPasswordHasher, type PasswordHashing } from './actions/hash-password.ts'
import { openSeededSession } from './actions/open-seeded-session.ts'
import { type Organisation, seedOrganisation } from './actions/seed-organisation.ts'
import { updateMemberships } from './actions/update-memberships.ts'
import { developmentClient, developmentProviderName } from './clients/development-provider/oidc-configuration.ts'
import { createDevelopmentProvider, type DevelopmentProvider } from './clients/development-provider/provider.ts'
import { createProviderStore } from './clients/development-provider/provider-store.ts'
import { createIdentityProvider } from './clients/identity-provider.ts'
import { createIdentityProviders, type IdentityProviders } from './clients/identity-providers.ts'

import { createPasskeys } from './clients/passkeys.ts'
import { createPersonRecords } from './clients/person-records.ts'
import {
  type AuthConfig,
  checkProvider,
  configuredProviders,
  defaultProviderId,
  developmentAccountIssuer,
  developmentIssuer,
  providerTrusts,
} from './config.ts'

import { consumers } from './consumers/index.ts'
import type { AuthContext } from './context.ts'
import { createSetupTokenAnnouncement } from './jobs/announce-setup-token.ts'
import { createFailedSignInAudit } from './jobs/audit-failed-sign-ins.ts'
import { createAuditCheckpoint } from './jobs/checkpoint-audit-chain.ts'
import { createNameKeyCorrection } from './jobs/correct-name-keys.ts'
import { createImportRunner } from './jobs/people-import/import-runner.ts'
import { createErasureRepetition } from './jobs/repeat-erasures.ts'
import { createResealing } from './jobs/reseal-secrets.ts'
import { createRevocationSync } from './jobs/revocation-sync.ts'
import { createDynamicGroupUpdates } from './jobs/update-dynamic-groups.ts'
import { createDeviceCookies } from './routes/cookies/device-cookies.ts'
import { createLoginStepCookie } from './routes/cookies/login-step-cookie.ts'
import { createRefreshTokens } from './routes/cookies/refresh-tokens.ts'
import { createSignInCookies } from './routes/cookies/sign-in-cookies.ts'
import { internalRoutes, routes } from './routes/index.ts'
import { createAccountData } from './store/account-data.ts'
import { createAdminInvitationStore } from './store/admin-invitations.ts'
import { createAuditStore } from './store/audit.ts'
import { createClaimRulesStore } from './store/claim-rules.ts'
import { createCredentialStore } from './store/credentials.ts'
import { isDatabaseResponding } from './store/database-health.ts'
import { createErasureReceiptStore } from './store/erasure-receipts.ts'
import { createFailedSignInStore } from './store/failed-sign-ins.ts'
import { createFirstAdminStore } from './store/first-admin.ts'
import { createGroupMemberStore } from './store/group-members.ts'
import { createGroupStore } from './store/groups.ts'
import { createImportStore } from './store/imports.ts'
import { createInvitedPeopleStore } from './store/invited-people.ts'
import { createLogoutTokenStore } from './store/logout-tokens.ts'
import { createMembershipCheckStore } from './store/membership-checks.ts'
import { createNameKeyStore } from './store/name-keys.ts'
import { createPasswordConfirmationStore } from './store/password-confirmations.ts'
import { createPeopleStore } from './store/people.ts'
import { createPeopleDirectory } from './store/people-directory.ts'
import { createPersonModel } from './store/person-model.ts'
import { createRecoveryCodeStore } from './store/recovery-codes.ts'
import { createSecondFactorStore } from './store/second-factors.ts'
import { createSessionStore } from './store/sessions.ts'
import { createSignInClaimsStore } from './store/sign-in-claims.ts'
import { createSignInCodeStore } from './store/sign-in-codes.ts'
import { createSupervisorRequestStore } from './store/supervisor-requests.ts'
import { createTeamStore } from './store/teams.ts'

export interface AuthService extends Service {
  /**
   * Creates an organisation's people once the service has started; repeatable. Returns the ids by
   * email address.
   */
  seed(organisation: Organisation): Promise<ReadonlyMap<string, string>>
  /** Signs a seeded person in. Ends the session that their browser had, and returns the new id. */
  openSession(personId: string, replacedSid: string | undefined): Promise<string>
}

export interface Overrides {
  hashing?: PasswordHashing
  pictures?: PictureLoaderOptions | undefined
}

/** Wires the auth service. Throws a ConfigError for production with the development provider. */
export function createAuthService(config: AuthConfig, ports: Ports, overrides: Overrides = {}): AuthService {
  checkProvider(config)
  const host = createServiceHost('auth', config, ports)
  const { connection, clock, log, outbox, live } = host
  const personModel = createPersonModel(connection)
  const groupWakeup = createWakeup()
  const membershipChecks = createMembershipCheckStore(connection, groupWakeup.wake)
  const people = createPeopleStore(personModel, membershipChecks)
  const directory = createPeopleDirectory(personModel)
  const teams = createTeamStore(personModel)
  const invited = createInvitedPeopleStore(connection, membershipChecks)
  const imports = createImportStore(connection)
  const audit = createAuditStore(connection, config.retentionAuditS)
  const importRunner = createImportRunner({ imports, invited, teams, outbox, audit, clock, log })
  const ownIssuer = developmentIssuer(config)
  const providerStore = ownIssuer ? createProviderStore(connection) : undefined
  const erasureJobs = createErasureJobs(host, person =>
    eraseMentions({ imports, removeAccount: providerStore?.removeAccount, leaveGroups }, person),
  )
  const developmentProvider = providerStore
    ? createDevelopmentProvider({
        config,
        people,
        directory,
        invited,
        store: providerStore,
        log,
      })
    : undefined
  const cookies = cookieNames(config.publicUrl)
  const firstAdmin = createFirstAdminStore(connection)
  const clientOf = (url: string) => createInternalClient({ url, credentials: host.credentials, tracer: host.tracer })

  const ctx: AuthContext = {
    config,
    clock,
    log,
    security: host.security,
    outbox,
    live,
    rateLimiter: host.rateLimiter,
    people,
    directory,
    teams,
    requests: createSupervisorRequestStore(connection),
    invited,
    imports,
    importRunner,
    groups: createGroupStore(connection),
    groupMembers: createGroupMemberStore(connection),
    membershipChecks,
    wakeGroupUpdates: groupWakeup.wake,
    firstAdmin,
    setupTokenAnnouncement: createSetupTokenAnnouncement({ config, firstAdmin, clock, log }),
    adminInvitations: createAdminInvitationStore(connection),
    credentials: createCredentialStore(connection),
    passwords: createPasswordHasher(overrides.hashing),
    passwordConfirmations: createPasswordConfirmationStore(connection),
    secondFactors: createSecondFactorStore(connection),
    recoveryCodes: createRecoveryCodeStore(connection),
    passkeys: createPasskeys(config.publicUrl),
    secretBox: createSecretBox(config.cookieSecrets, 'authenticator app'),
    providerTokenBox: createSecretBox(config.cookieSecrets, 'token of a sign-in provider'),
    loginStepCookie: createLoginStepCookie({ cookieSecrets: config.cookieSecrets, secure: cookies.secure }),
    audit,
    accountData: createAccountData(connection),
    receipts: createErasureReceiptStore(connection),
    erasureJobs,
    failedSignIns: createFailedSignInStore(connection),
    isDatabaseResponding: () => isDatabaseResponding(connection),
    personRecords: createPersonRecords({
      playback: clientOf(config.playbackUrl),
      engagement: clientOf(config.engagementUrl),
      chat: clientOf(config.chatUrl),
    }),
    providers: wireProviders(config, host, developmentProvider?.fetch),
    claimRules: createClaimRulesStore(connection),
    signInClaims: createSignInClaimsStore(connection, membershipChecks),
    pictures: createPictureLoader(clock, overrides.pictures),
    signInCodes: createSignInCodeStore(connection),
    logoutTokens: createLogoutTokenStore(connection),
    signInCookies: createSignInCookies({ cookieSecrets: config.cookieSecrets, secure: cookies.secure }),
    deviceCookies: createDeviceCookies({ cookieSecrets: config.cookieSecrets, secure: cookies.secure }),
    sessions: createSessionStore(connection, config.retentionSignInsS),
    ...createTokenIssuer(config),
    refreshTokens: createRefreshTokens(config.refreshSecrets),
    cookies,
  }

  function leaveGroups(personId: string) {
    return updateMemberships(ctx, [personId])
  }

  const service = buildService(host, {
    ctx,
    routes,
    consumers,
    identify: createCallerIdentification(host, { find: id => people.byId(id) }),
    lifecycles: [
      { start: audit.prepare, stop: () => {} },
      { start: directory.addMissingSearchWords, stop: () => {} },
      createNameKeyCorrection({ nameKeys: createNameKeyStore(connection, personModel), clock }),
      createResealing(ctx),
      createRevocationSync(ctx),
      createErasureRepetition(ctx),
      erasureJobs,
      ctx.setupTokenAnnouncement,
      createFailedSignInAudit(ctx),
      createAuditCheckpoint(ctx),
      importRunner,
      createDynamicGroupUpdates(ctx, groupWakeup),
      ...(developmentProvider ? [developmentProvider] : []),
    ],
    internalRoutes,
    mount: developmentProvider?.mount,
  })
  return {
    ...service,
    seed: organisation => seedOrganisation(ctx, organisation),
    openSession: (personId, replacedSid) => openSeededSession(ctx, { personId, replacedSid }),
  }
}

/** The configured providers, or the development provider, which answers in this process. */
function wireProviders(
  config: AuthConfig,
  { clock, log }: Pick<ServiceHost, 'clock' | 'log'>,
  developmentFetch: DevelopmentProvider['fetch'] | undefined,
): IdentityProviders {
  const shared = { redirectUri: `${config.publicUrl}/api/auth/callback`, clock, log }
  const ownIssuer = developmentIssuer(config)
  if (ownIssuer)
    return createIdentityProviders([
      {
        id: defaultProviderId,
        name: developmentProviderName,
        provider: createIdentityProvider({
          ...shared,
          id: defaultProviderId,
          issuer: ownIssuer,
          accountIssuer: developmentAccountIssuer,
          clientId: developmentClient.id,
          clientSecret: undefined,
          trustedFor: providerTrusts,
          fetch: developmentFetch,
        }),
      },
    ])
  const providers = configuredProviders(config)
  if (config.oidcAdminClaim && !providers.some(({ trustedFor }) => trustedFor?.includes('administrators')))
    log.warn('OIDC_ADMIN_CLAIM has no effect, no sign-in provider is trusted for administrators')
  return createIdentityProviders(
    providers.map(({ name, ...settings }) => ({
      id: settings.id,
      name,
      provider: createIdentityProvider({ ...shared, ...settings }),
    })),
  )
}

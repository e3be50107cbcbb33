import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { limits } from '@watchline/contracts/limits'
import type { SecretList } from '@watchline/kit/core/hmac-signer'
import {
  type BaseConfig,
  baseVariables,
  type Config,
  ConfigError,
  flag,
  isLoopback,
  pem,
  readConfig,
  readServiceConfig,
  requireHttps,
  secrets,
  secretsAccepted,
  serviceUrl,
  variable,
} from '@watchline/kit/process/config'
import { z } from 'zod'
import type { EmailPolicy } from './rules/account.ts'
import { type AdminClaim, parseAdminClaim } from './rules/admin-claim.ts'
import type { SessionLifetimes } from './rules/session-lifetime.ts'

export interface AuthConfig extends BaseConfig {
  /** The origin people use in their browsers, without a trailing slash. */
  publicUrl: string
  tokenPrivateKey: string
  refreshSecrets: SecretList
  cookieSecrets: SecretList
  oidcIssuer: string | undefined
  oidcClientId: string | undefined
  oidcClientSecret: string | undefined
  oidcUntypedLogout: boolean
  oidcAcrValues: readonly string[]
  oidcMaxAgeS: number | undefined
  oidcDailyCheck: DailyCheck
  oidcClaimsFromUserInfo: boolean
  /** The provider's name on the sign-in button. */
  oidcName: string
  /** Further providers, beside the one of the four settings above. */
  oidcProviders: readonly ProviderSettings[]
  emailPolicy: EmailPolicy
  /** The names of the claims that rules may use, and that are remembered for previews. */
  claimNames: readonly string[]
  /** The claim of the provider that makes its holder an administrator. */
  oidcAdminClaim: AdminClaim | undefined
  adminSetupToken: string | undefined
  /** The contact for questions about personal data, as text. */
  privacyContact: string | undefined
  /** The organisation's own page about data protection. */
  privacyUrl: string | undefined
  /** Whether administrators with a password must have a second factor. */
  adminSecondFactor: 'optional' | 'required'
  sessionLifetimes: SessionLifetimes
  /** Signing out also ends the session at the sign-in provider. */
  signOutAtProvider: boolean
  playbackUrl: string
  engagementUrl: string
  chatUrl: string
  /** Permits the development provider on an address that others reach. */
  allowAnybodyToSignInAsAnybody: boolean
}

/** A sign-in provider that the operator has configured. */
export interface ProviderSettings {
  /** Stands in addresses and cookies, so it stays the same when the name changes. */
  id: string
  name: string
  issuer: string
  clientId: string
  clientSecret: string | undefined
  /** It reports sign-outs by tokens without the type `logout+jwt`. */
  acceptsUntypedLogoutTokens?: boolean
  /** A sign-in must have one of these classes (`acr`), the preferred one first; empty for any. */
  acrValues?: readonly string[]
  /** The longest time since the person signed in at the provider, seconds. */
  maxAgeS?: number | undefined
  dailyCheck?: DailyCheck
  /** The rights that its accounts may get by it; absent for none. */
  trustedFor?: readonly ProviderTrust[]
  /** As in `EmailPolicy`, in place of those; absent for the same as there. */
  allowedDomains?: readonly string[] | undefined
  /** Claims for administrators and roles also count from the unsigned userinfo answer. */
  claimsFromUserInfo?: boolean
}

/**
 * `administrators` by the claim of OIDC_ADMIN_CLAIM; `roles`: roles, teams, managers and groups by
 * claims; `invitations`: the seats of imported people, by their address.
 */
export type ProviderTrust = (typeof providerTrusts)[number]
export const providerTrusts = ['administrators', 'roles', 'invitations'] as const

/**
 * Whether auth asks the provider once a day for each session, by a refresh token. The provider
 * gives this token unasked (`auto`), or auth requests it (`offline_access`).
 */
export type DailyCheck = (typeof dailyChecks)[number]
const dailyChecks = ['auto', 'offline_access', 'off'] as const

const origin = z
  .url({ protocol: /^https?$/ })
  .refine(value => new URL(value).pathname === '/' && !new URL(value).search)
  .transform(value => new URL(value).origin)

const minute = 60_000
const hour = 60 * minute
/** An access token is valid for ten minutes, so a session cannot be renewed more often. */
const idleMinutes = z.coerce.number().int().min(15).max(43_200)
const maxHours = z.coerce.number().int().min(1).max(8_760)

const lifetimeVariables = {
  sessionIdle: variable('SESSION_IDLE_MINUTES', idleMinutes.default(720), 'minutes, 15 to 43200'),
  sessionMax: variable('SESSION_MAX_HOURS', maxHours.default(720), 'hours, 1 to 8760'),
  adminSessionIdle: variable('ADMIN_SESSION_IDLE_MINUTES', idleMinutes.default(30), 'minutes, 15 to 43200'),
  adminSessionMax: variable('ADMIN_SESSION_MAX_HOURS', maxHours.default(12), 'hours, 1 to 8760'),
}

const issuer = z.url({ protocol: /^https?$/ })
const clientId = z.string().min(1)
const providerName = z.string().min(1).max(60)
const splitList = (text: string) =>
  text
    .split(',')
    .map(item => item.trim())
    .filter(Boolean)
const claimNames = z
  .string()
  .default('groups,roles')
  .transform(splitList)
  .pipe(z.array(z.string().max(limits.claimNameMaxLength)).max(10))
const domainList = z
  .string()
  .transform(text => splitList(text.toLowerCase()))
  .pipe(z.array(z.string().regex(/^[a-z\d-]+(\.[a-z\d-]+)+$/, 'is no list of domains, separated by commas')))
const acrList = z
  .string()
  .transform(text => text.split(/\s+/).filter(Boolean))
  .pipe(z.array(z.string().max(200)).max(10))
const maxAgeMinutes = z.coerce
  .number()
  .int()
  .min(1)
  .max(43_200)
  .transform(minutes => minutes * 60)
const providerEntry = z.strictObject({
  id: z.string().regex(/^[a-z\d-]{1,30}$/, 'is not 1 to 30 of a-z, 0-9 and -'),
  name: providerName,
  issuer,
  client_id: clientId,
  client_secret: z.string().min(1).optional(),
  client_secret_file: z.string().min(1).optional(),
  untyped_logout: z.boolean().default(false),
  acr_values: acrList.default([]),
  max_age_minutes: maxAgeMinutes.optional(),
  daily_check: z.enum(dailyChecks).default('auto'),
  trusted_for: z.array(z.enum(providerTrusts)).optional(),
  allowed_domains: domainList.optional(),
  claims_from_userinfo: z.boolean().default(false),
})

const adminClaim = z.string().transform((text, context) => {
  const claim = parseAdminClaim(text)
  if (!claim) context.addIssue({ code: 'custom', message: 'has no name and value' })
  return claim ?? z.NEVER
})

const variables = {
  ...baseVariables,
  ...lifetimeVariables,
  publicUrl: variable(
    'PUBLIC_URL',
    origin.default('http://localhost:8080'),
    'the http(s) origin people use, without a path',
  ),
  tokenPrivateKey: variable('TOKEN_PRIVATE_KEY', pem, 'a private key in PEM'),
  refreshSecrets: variable('REFRESH_SECRET', secrets, secretsAccepted),
  cookieSecrets: variable('COOKIE_SECRET', secrets, secretsAccepted),
  oidcIssuer: variable('OIDC_ISSUER', issuer.optional(), 'the address of an OpenID Connect issuer'),
  oidcClientId: variable('OIDC_CLIENT_ID', clientId.optional(), 'the client id known to the issuer'),
  oidcClientSecret: variable('OIDC_CLIENT_SECRET', z.string().min(1).optional(), 'the client secret, if there is one', {
    mayBeEmptyFile: true,
  }),
  oidcUntypedLogout: variable('OIDC_UNTYPED_LOGOUT', flag.default(false), 'true or false'),
  oidcAcrValues: variable('OIDC_ACR_VALUES', acrList.default([]), 'at most 10 classes of sign-in, separated by spaces'),
  oidcMaxAgeS: variable('OIDC_MAX_AGE_MINUTES', maxAgeMinutes.optional(), 'minutes, 1 to 43200'),
  oidcDailyCheck: variable('OIDC_DAILY_CHECK', z.enum(dailyChecks).default('auto'), dailyChecks.join(', ')),
  oidcClaimsFromUserInfo: variable('OIDC_CLAIMS_FROM_USERINFO', flag.default(false), 'true or false'),
  oidcName: variable('OIDC_NAME', providerName.default('your organisation'), 'up to 60 characters'),
  oidcProviders: variable('OIDC_PROVIDERS', z.string().optional(), 'a JSON list of providers', {
    isSecret: true,
    mayBeEmptyFile: true,
  }),
  requireVerifiedEmail: variable('OIDC_REQUIRE_VERIFIED_EMAIL', flag.default(false), 'true or false'),
  allowedDomains: variable(
    'OIDC_ALLOWED_DOMAINS',
    domainList.default([]),
    'domains of email addresses, separated by commas',
  ),
  claimNames: variable('OIDC_CLAIMS', claimNames, 'at most 10 names of claims, separated by commas'),
  privacyContact: variable('PRIVACY_CONTACT', z.string().max(300).optional(), 'up to 300 characters'),
  privacyUrl: variable('PRIVACY_URL', z.url({ protocol: /^https?$/ }).optional(), 'an http(s) address'),
  oidcAdminClaim: variable(
    'OIDC_ADMIN_CLAIM',
    adminClaim.optional(),
    'the name and value of a claim, for instance groups=watchline-admins',
  ),
  adminSetupToken: variable('ADMIN_SETUP_TOKEN', z.string().min(8).optional(), 'at least 8 characters'),
  signOutAtProvider: variable('OIDC_SIGN_OUT', flag.default(true), 'true or false'),
  playbackUrl: serviceUrl('PLAYBACK_SESSION_URL', 'http://127.0.0.1:8082', 'playback-session'),
  engagementUrl: serviceUrl('ENGAGEMENT_URL', 'http://127.0.0.1:8083', 'engagement'),
  chatUrl: serviceUrl('CHAT_URL', 'http://127.0.0.1:8085', 'chat'),
  adminSecondFactor: variable(
    'ADMIN_SECOND_FACTOR',
    z.enum(['optional', 'required']).default('optional'),
    'optional or required',
  ),
  allowAnybodyToSignInAsAnybody: variable('ALLOW_ANYBODY_TO_SIGN_IN_AS_ANYBODY', flag.default(false), 'true or false'),
}

/** The only reader of this service's environment. */
export function readAuthConfig(env: NodeJS.ProcessEnv): AuthConfig {
  const { sessionIdle, sessionMax, adminSessionIdle, adminSessionMax, ...others } = readServiceConfig(env, variables)
  const { oidcProviders, requireVerifiedEmail, allowedDomains, ...direct } = others
  return checkProvider({
    ...direct,
    emailPolicy: { requireVerified: requireVerifiedEmail, allowedDomains },
    oidcProviders: readProviderList(oidcProviders),
    sessionLifetimes: {
      people: { idleMs: sessionIdle * minute, absoluteMs: sessionMax * hour },
      admins: { idleMs: adminSessionIdle * minute, absoluteMs: adminSessionMax * hour },
    },
  })
}

/** Names the wrong field, but repeats no value: the list may contain secrets. */
function readProviderList(text: string | undefined): ProviderSettings[] {
  if (text === undefined) return []
  const refuse = (problem: string): never => {
    throw new ConfigError(
      `OIDC_PROVIDERS: ${problem}, accepted is a JSON list of objects with id, name, issuer, client_id and client_secret or client_secret_file`,
    )
  }
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    refuse('text that is no JSON was given')
  }
  const { data = [], error } = z.array(providerEntry).min(1).safeParse(list)
  const [issue] = error?.issues ?? []
  if (issue) refuse(`entry ${issue.path.join('.') || 'list'}: ${issue.message}`)
  return data.map(({ id, name, issuer, client_secret, client_secret_file: file, ...entry }, index) => {
    if (client_secret && file) refuse(`entry ${index} has both client_secret and client_secret_file`)
    return {
      ...{ id, name, issuer, clientId: entry.client_id, clientSecret: file ? readSecretFile(file) : client_secret },
      acceptsUntypedLogoutTokens: entry.untyped_logout,
      acrValues: entry.acr_values,
      maxAgeS: entry.max_age_minutes,
      dailyCheck: entry.daily_check,
      ...(entry.trusted_for && { trustedFor: entry.trusted_for }),
      allowedDomains: entry.allowed_domains,
      claimsFromUserInfo: entry.claims_from_userinfo,
    }
  })
}

function readSecretFile(file: string): string {
  try {
    const content = readFileSync(file, 'utf8').replace(/[\r\n]+$/, '')
    if (content) return content
  } catch {
    // Reported below.
  }
  throw new ConfigError(`OIDC_PROVIDERS: the client_secret_file "${file}" is empty or cannot be read`)
}

/** The id of the provider of OIDC_ISSUER, and of the development provider. */
export const defaultProviderId = 'default'

/**
 * All configured providers; the first is the default. Empty with the development provider. The main
 * provider may give everything: that of OIDC_ISSUER, or the only one. Others are of organisations
 * that do not decide here, so they give what their settings name.
 */
export function configuredProviders(config: AuthConfig): ProviderSettings[] {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcName, oidcProviders } = config
  if (!oidcIssuer) {
    const trustedFor = oidcProviders.length === 1 ? providerTrusts : []
    return oidcProviders.map(provider => ({ trustedFor, ...provider }))
  }
  const first = {
    id: defaultProviderId,
    name: oidcName,
    issuer: oidcIssuer,
    clientId: oidcClientId ?? '',
    clientSecret: oidcClientSecret,
    acceptsUntypedLogoutTokens: config.oidcUntypedLogout,
    acrValues: config.oidcAcrValues,
    maxAgeS: config.oidcMaxAgeS,
    dailyCheck: config.oidcDailyCheck,
    claimsFromUserInfo: config.oidcClaimsFromUserInfo,
    trustedFor: providerTrusts,
  }
  return [first, ...oidcProviders.map(provider => ({ trustedFor: [], ...provider }))]
}

const { mongoUrl, databasePrefix } = baseVariables
const databaseVariables = { mongoUrl, databasePrefix }
export type DatabaseConfig = Config<typeof databaseVariables>

/** The database settings alone, for operator commands. */
export function readDatabaseConfig(env: NodeJS.ProcessEnv): DatabaseConfig {
  return readConfig(env, databaseVariables)
}

/**
 * Rejects the development provider where others than the developer reach it, because it signs
 * anybody in as anybody, and plain http in production.
 */
export function checkProvider(config: AuthConfig): AuthConfig {
  const { oidcIssuer, oidcClientId, nodeEnv, publicUrl } = config
  const providers = configuredProviders(config)
  requireHttps('PUBLIC_URL', publicUrl, nodeEnv)
  if (providers.length === 0 && nodeEnv === 'production')
    throw new ConfigError(
      'OIDC_ISSUER: nothing was given, accepted is the address of an OpenID Connect issuer (production has no development provider)',
    )
  if (providers.length === 0 && !isLoopback(new URL(publicUrl).hostname) && !config.allowAnybodyToSignInAsAnybody)
    throw new ConfigError(
      `OIDC_ISSUER: nothing was given, but others reach PUBLIC_URL "${publicUrl}", and without a sign-in provider anybody can sign in as anybody. Set OIDC_ISSUER; for a test network without real people, ALLOW_ANYBODY_TO_SIGN_IN_AS_ANYBODY=true`,
    )
  if (oidcIssuer && !oidcClientId)
    throw new ConfigError('OIDC_CLIENT_ID: nothing was given, accepted is the client id known to the issuer')
  for (const { id, issuer } of providers)
    requireHttps(id === defaultProviderId ? 'OIDC_ISSUER' : `OIDC_PROVIDERS (${id})`, issuer, nodeEnv)
  for (const key of ['id', 'issuer'] as const)
    if (new Set(providers.map(provider => provider[key])).size < providers.length)
      throw new ConfigError(`OIDC_PROVIDERS: two providers have the same ${key}, accepted is one of each`)
  return config
}

/**
 * Whether only a call through a proxy needs the token: on a developer's machine. In production a
 * loopback PUBLIC_URL, which is the default, does not prove that nobody else reaches the page.
 */
export function isSetupOpen({ adminSetupToken, publicUrl, nodeEnv }: AuthConfig): boolean {
  return !adminSetupToken && nodeEnv !== 'production' && isLoopback(new URL(publicUrl).hostname)
}

/**
 * The token that creating the first administrator requires. Without a configured token it is
 * derived from a secret, so that all replicas accept the same one.
 */
export function setupTokenOf({ adminSetupToken, refreshSecrets }: AuthConfig): string {
  if (adminSetupToken) return adminSetupToken
  return createHmac('sha256', refreshSecrets[0]).update('token of the first administrator').digest('hex').slice(0, 32)
}

/**
 * The stored issuer of accounts of the development provider. Its address would not do: it changes
 * with the port, and the installation must keep its people.
 */
export const developmentAccountIssuer = 'watchline-development'

/**
 * The address of the development provider inside this process; undefined if another provider is
 * configured.
 */
export function developmentIssuer(config: AuthConfig): string | undefined {
  return configuredProviders(config).length > 0 ? undefined : `${config.publicUrl}/oidc`
}

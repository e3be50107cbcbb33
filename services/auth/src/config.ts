import { createHmac } from 'node:crypto'
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
  requireHttps,
  secrets,
  secretsAccepted,
  variable,
} from '@watchline/kit/process/config'
import { z } from 'zod'
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
  /** The provider's name on the sign-in button. */
  oidcName: string
  adminSetupToken: string | undefined
  sessionLifetimes: SessionLifetimes
  /** Permits the development provider on an address that others reach. */
  allowAnybodyToSignInAsAnybody: boolean
}

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

const variables = {
  ...baseVariables,
  ...lifetimeVariables,
  publicUrl: variable(
    'PUBLIC_URL',
    origin.default('http://localhost:8080'),
    'the http(s) origin people use, without a path',
  ),
  tokenPrivateKey: variable('TOKEN_PRIVATE_KEY', pem, 'an RSA private key in PEM'),
  refreshSecrets: variable('REFRESH_SECRET', secrets, secretsAccepted),
  cookieSecrets: variable('COOKIE_SECRET', secrets, secretsAccepted),
  oidcIssuer: variable(
    'OIDC_ISSUER',
    z.url({ protocol: /^https?$/ }).optional(),
    'the address of an OpenID Connect issuer',
  ),
  oidcClientId: variable('OIDC_CLIENT_ID', z.string().min(1).optional(), 'the client id known to the issuer'),
  oidcClientSecret: variable('OIDC_CLIENT_SECRET', z.string().min(1).optional(), 'the client secret, if there is one', {
    mayBeEmptyFile: true,
  }),
  oidcName: variable('OIDC_NAME', z.string().min(1).max(60).default('your organisation'), 'up to 60 characters'),
  adminSetupToken: variable('ADMIN_SETUP_TOKEN', z.string().min(8).optional(), 'at least 8 characters'),
  allowAnybodyToSignInAsAnybody: variable('ALLOW_ANYBODY_TO_SIGN_IN_AS_ANYBODY', flag.default(false), 'true or false'),
}

/** The only reader of this service's environment. */
export function readAuthConfig(env: NodeJS.ProcessEnv): AuthConfig {
  const { sessionIdle, sessionMax, adminSessionIdle, adminSessionMax, ...direct } = readConfig(env, variables)
  return checkProvider({
    ...direct,
    sessionLifetimes: {
      people: { idleMs: sessionIdle * minute, absoluteMs: sessionMax * hour },
      admins: { idleMs: adminSessionIdle * minute, absoluteMs: adminSessionMax * hour },
    },
  })
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
  requireHttps('PUBLIC_URL', publicUrl, nodeEnv)
  if (!oidcIssuer && nodeEnv === 'production')
    throw new ConfigError(
      'OIDC_ISSUER: nothing was given, accepted is the address of an OpenID Connect issuer (production has no development provider)',
    )
  if (!oidcIssuer && !isLoopback(new URL(publicUrl).hostname) && !config.allowAnybodyToSignInAsAnybody)
    throw new ConfigError(
      `OIDC_ISSUER: nothing was given, but others reach PUBLIC_URL "${publicUrl}", and without a sign-in provider anybody can sign in as anybody. Set OIDC_ISSUER; for a test network without real people, ALLOW_ANYBODY_TO_SIGN_IN_AS_ANYBODY=true`,
    )
  if (oidcIssuer && !oidcClientId)
    throw new ConfigError('OIDC_CLIENT_ID: nothing was given, accepted is the client id known to the issuer')
  if (oidcIssuer) requireHttps('OIDC_ISSUER', oidcIssuer, nodeEnv)
  return config
}

/**
 * The token that creating the first administrator requires; undefined where only this machine
 * reaches the page. Without a configured one it is derived from a secret, so that all replicas
 * accept the same one.
 */
export function setupTokenOf({ adminSetupToken, publicUrl, refreshSecrets }: AuthConfig): string | undefined {
  if (adminSetupToken || isLoopback(new URL(publicUrl).hostname)) return adminSetupToken
  return createHmac('sha256', refreshSecrets[0]).update('token of the first administrator').digest('hex').slice(0, 24)
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
  return config.oidcIssuer ? undefined : `${config.publicUrl}/oidc`
}

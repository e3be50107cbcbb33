import {
  type BaseConfig,
  baseVariables,
  type Config,
  ConfigError,
  pem,
  readConfig,
  secret,
  variable,
} from '@watchline/kit/process/config'
import { z } from 'zod'

export interface AuthConfig extends BaseConfig {
  /** The origin people use in their browsers, without a trailing slash. */
  publicUrl: string
  tokenPrivateKey: string
  refreshSecret: string
  cookieSecret: string
  oidcIssuer: string | undefined
  oidcClientId: string | undefined
  oidcClientSecret: string | undefined
  /** The provider's name on the sign-in button. */
  oidcName: string
  adminSetupToken: string | undefined
}

const origin = z
  .url({ protocol: /^https?$/ })
  .refine(value => new URL(value).pathname === '/' && !new URL(value).search)
  .transform(value => new URL(value).origin)

const variables = {
  ...baseVariables,
  publicUrl: variable(
    'PUBLIC_URL',
    origin.default('http://localhost:8080'),
    'the http(s) origin people use, without a path',
  ),
  tokenPrivateKey: variable('TOKEN_PRIVATE_KEY', pem, 'an RSA private key in PEM'),
  refreshSecret: variable('REFRESH_SECRET', secret, 'at least 32 characters'),
  cookieSecret: variable('COOKIE_SECRET', secret, 'at least 32 characters'),
  oidcIssuer: variable(
    'OIDC_ISSUER',
    z.url({ protocol: /^https?$/ }).optional(),
    'the address of an OpenID Connect issuer',
  ),
  oidcClientId: variable('OIDC_CLIENT_ID', z.string().min(1).optional(), 'the client id known to the issuer'),
  oidcClientSecret: variable('OIDC_CLIENT_SECRET', z.string().min(1).optional(), 'the client secret, if there is one'),
  oidcName: variable('OIDC_NAME', z.string().min(1).max(60).default('your organisation'), 'up to 60 characters'),
  adminSetupToken: variable('ADMIN_SETUP_TOKEN', z.string().min(8).optional(), 'at least 8 characters'),
}

/** The only reader of this service's environment. */
export function readAuthConfig(env: NodeJS.ProcessEnv): AuthConfig {
  return checkProvider(readConfig(env, variables))
}

const { mongoUrl, databasePrefix } = baseVariables
const databaseVariables = { mongoUrl, databasePrefix }
export type DatabaseConfig = Config<typeof databaseVariables>

/** The database settings alone, for operator commands. */
export function readDatabaseConfig(env: NodeJS.ProcessEnv): DatabaseConfig {
  return readConfig(env, databaseVariables)
}

/** Rejects production without a provider: the development provider signs anybody in as anybody. */
export function checkProvider(config: AuthConfig): AuthConfig {
  const { oidcIssuer, oidcClientId, nodeEnv } = config
  if (!oidcIssuer && nodeEnv === 'production')
    throw new ConfigError(
      'OIDC_ISSUER: nothing was given, accepted is the address of an OpenID Connect issuer (production has no development provider)',
    )
  if (oidcIssuer && !oidcClientId)
    throw new ConfigError('OIDC_CLIENT_ID: nothing was given, accepted is the client id known to the issuer')
  if (oidcIssuer?.startsWith('http:') && nodeEnv === 'production' && !isLoopback(oidcIssuer))
    throw new ConfigError(`OIDC_ISSUER: "${oidcIssuer}" was given, accepted in production is an https address`)
  return config
}

function isLoopback(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname)
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

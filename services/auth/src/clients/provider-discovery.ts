import type { Clock } from '@watchline/kit/core/clock'
import type { Logger } from '@watchline/kit/observability/log'
import * as oidc from 'openid-client'
import { providerUnavailable } from './sign-in-failure.ts'

export interface ProviderDiscoveryOptions {
  issuer: string
  clientId: string
  clientSecret: string | undefined
  clock: Clock
  log: Logger
  timeoutS: number
  fetch?: oidc.CustomFetch | undefined
}

const discoveryTtlMs = 60 * 60_000

/**
 * The provider's configuration, discovered once an hour. A failed discovery keeps the cached one.
 * Rejects with a SignInFailure before the first one succeeds.
 */
export function createProviderDiscovery(options: ProviderDiscoveryOptions): () => Promise<oidc.Configuration> {
  const { issuer, clientId, clientSecret, clock, log, timeoutS, fetch } = options
  let cached: { configuration: oidc.Configuration; at: number } | undefined
  let discovery: Promise<oidc.Configuration> | undefined

  function discover(): Promise<oidc.Configuration> {
    return oidc.discovery(new URL(issuer), clientId, undefined, clientAuthentication(clientSecret), {
      timeout: timeoutS,
      // TLS alone would let whatever terminates it write any identity into the token.
      execute: [oidc.enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [])],
      ...(fetch && { [oidc.customFetch]: fetch }),
    })
  }

  return async () => {
    if (cached && clock.now() - cached.at < discoveryTtlMs) return cached.configuration
    discovery ??= discover().finally(() => {
      discovery = undefined
    })
    try {
      const configuration = await discovery
      cached = { configuration, at: clock.now() }
      return configuration
    } catch (error) {
      log.warn({ err: error, issuer }, 'discovery of the sign-in provider failed, retrying at the next sign-in')
      if (cached) return cached.configuration
      throw providerUnavailable(error)
    }
  }
}

/**
 * HTTP basic if the provider supports it (the default of the standard), otherwise the secret in the
 * body.
 */
function clientAuthentication(clientSecret: string | undefined): oidc.ClientAuth {
  if (!clientSecret) return oidc.None()
  const basic = oidc.ClientSecretBasic(clientSecret)
  const post = oidc.ClientSecretPost(clientSecret)
  return (server, ...args) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (supported.includes('client_secret_basic') ? basic : post)(server, ...args)
  }
}

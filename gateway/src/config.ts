import type { ServiceName } from '@watchline/contracts/operation'
import type { SecretList } from '@watchline/kit/core/hmac-signer'
import {
  baseVariables,
  type Config,
  ConfigError,
  flag,
  isLoopback,
  mediaHosts,
  pem,
  port,
  readConfig,
  requireHttps,
  secrets,
  secretsAccepted,
  variable,
} from '@watchline/kit/process/config'
import { z } from 'zod'

const count = (from: number, to: number) => z.coerce.number().int().min(from).max(to)

/** One or more addresses, separated by commas. Only their origins count. */
const addresses = (defaultList: string) =>
  z
    .string()
    .default(defaultList)
    .transform(list => list.split(',').map(address => address.trim()))
    .pipe(z.array(z.url({ protocol: /^https?$/ }).transform(address => new URL(address).origin)).min(1))

const upstream = (name: string, defaultList: string) =>
  variable(name, addresses(defaultList), 'one or more http(s) addresses, separated by commas', { isConnection: true })
const requests = 'a number of requests per 10 seconds'

const variables = {
  nodeEnv: baseVariables.nodeEnv,
  logLevel: baseVariables.logLevel,
  host: baseVariables.host,
  port: variable('PORT', port.default(8080), 'a port from 0 to 65535'),
  drainMs: baseVariables.drainMs,
  publicUrl: variable(
    'PUBLIC_URL',
    z
      .url({ protocol: /^https?$/ })
      .transform(url => new URL(url).origin)
      .optional(),
    'the http(s) address browsers use',
  ),
  allowedHosts: variable(
    'ALLOWED_HOSTS',
    z
      .string()
      .default('')
      .transform(list =>
        list
          .split(',')
          .map(host => host.trim().toLowerCase())
          .filter(Boolean),
      )
      .pipe(z.array(z.string().regex(/^(\[[\da-f:]+\]|[\w.-]+)$/))),
    'host names without ports, separated by commas',
  ),
  tokenPublicKey: variable('TOKEN_PUBLIC_KEY', pem, 'public keys in PEM'),
  csrfSecrets: variable('CSRF_SECRET', secrets, secretsAccepted),
  mediaSecrets: variable('MEDIA_SECRET', secrets, secretsAccepted),
  metricsPort: baseVariables.metricsPort,
  tlsCaFile: baseVariables.tlsCaFile,
  tlsCertFile: baseVariables.tlsCertFile,
  tlsKeyFile: baseVariables.tlsKeyFile,
  allowPlainConnections: baseVariables.allowPlainConnections,
  amqpUrl: baseVariables.amqpUrl,
  amqpExchange: baseVariables.amqpExchange,
  amqpServiceUsers: baseVariables.amqpServiceUsers,
  redisUrl: baseVariables.redisUrl,
  redisPrefix: baseVariables.redisPrefix,
  otlpEndpoint: baseVariables.otlpEndpoint,
  tracesSampler: baseVariables.tracesSampler,
  tracesSamplerArg: baseVariables.tracesSamplerArg,
  auth: upstream('AUTH_URL', 'http://127.0.0.1:8081'),
  playbackSession: upstream('PLAYBACK_SESSION_URL', 'http://127.0.0.1:8082'),
  engagement: upstream('ENGAGEMENT_URL', 'http://127.0.0.1:8083'),
  notification: upstream('NOTIFICATION_URL', 'http://127.0.0.1:8084'),
  chat: upstream('CHAT_URL', 'http://127.0.0.1:8085'),
  oidcIssuer: variable('OIDC_ISSUER', z.string().optional(), 'the address of the sign-in provider'),
  oidcProviders: variable('OIDC_PROVIDERS', z.string().optional(), 'the sign-in providers', { isSecret: true }),
  allowAnybodyToSignInAsAnybody: variable('ALLOW_ANYBODY_TO_SIGN_IN_AS_ANYBODY', flag.default(false), 'true or false'),
  webRoot: variable('WEB_ROOT', z.string().optional(), 'the folder of the web build'),
  mediaRoot: variable('MEDIA_ROOT', z.string().optional(), 'a folder of video files'),
  mediaHosts,
  hstsIncludeSubdomains: variable('HSTS_INCLUDE_SUBDOMAINS', flag.default(true), 'true or false'),
  apiDocs: variable('API_DOCS', flag.default(true), 'true or false'),
  offlinePage: variable('OFFLINE_PAGE', flag.default(true), 'true or false'),
  trustedProxies: variable('TRUSTED_PROXIES', count(0, 10).default(0), 'the number of proxies before it, 0 to 10'),
  rateLimits: baseVariables.rateLimits,
  rateSession: variable('RATE_LIMIT_SESSION', count(1, 1e6).default(600), requests),
  rateAddress: variable('RATE_LIMIT_ADDRESS', count(1, 1e6).default(2_000), requests),
  rateSignIn: variable('RATE_LIMIT_SIGN_IN', count(1, 1e6).default(500), requests),
  ratePage: variable('RATE_LIMIT_PAGES', count(1, 1e6).default(5_000), requests),
  connectionsPerAddress: variable('CONNECTIONS_PER_ADDRESS', count(1, 1e6).default(8_000), 'a number of connections'),
  answerTimeoutMs: variable('UPSTREAM_TIMEOUT_MS', count(1, 600_000).default(15_000), 'milliseconds'),
  connectTimeoutMs: variable('UPSTREAM_CONNECT_TIMEOUT_MS', count(1, 60_000).default(2_000), 'milliseconds'),
  connections: variable('UPSTREAM_CONNECTIONS', count(1, 10_000).default(128), 'connections to one address'),
  maxInFlight: variable('UPSTREAM_MAX_IN_FLIGHT', count(2, 100_000).default(2_048), 'requests to one service at once'),
}

type GatewayVariables = Config<typeof variables>

export interface GatewayConfig
  extends Pick<
    GatewayVariables,
    | 'nodeEnv'
    | 'logLevel'
    | 'host'
    | 'port'
    | 'metricsPort'
    | 'drainMs'
    | 'tlsCaFile'
    | 'tlsCertFile'
    | 'tlsKeyFile'
    | 'allowedHosts'
    | 'tokenPublicKey'
    | 'connectionsPerAddress'
    | 'mediaHosts'
    | 'hstsIncludeSubdomains'
    | 'apiDocs'
    | 'otlpEndpoint'
    | 'tracesSampler'
    | 'tracesSamplerArg'
  > {
  csrfSecrets: SecretList
  mediaSecrets: SecretList
  amqpUrl: string | undefined
  amqpExchange: string
  amqpServiceUsers: boolean
  redisUrl: string | undefined
  redisPrefix: string
  /** The origin that browsers use. https turns on Secure cookies and HSTS. */
  publicUrl: string
  /** The addresses of each service, used in round-robin order. */
  upstreams: Record<ServiceName, readonly string[]>
  /** The auth service runs the development provider under /oidc. Never in production. */
  devProvider: boolean
  /** It also answers calls that a proxy passed on. */
  devProviderForAll: boolean
  /** The folder of the web build. Without it, pages answer 503. */
  webRoot: string | undefined
  /** The folder served under /media. */
  mediaRoot: string | undefined
  /** Browsers keep the offline page and the web build. False removes them from browsers. */
  offlinePage: boolean
  /**
   * The number of own proxies in front of the gateway, and so of trusted entries of
   * X-Forwarded-For.
   */
  trustedProxies: number
  /** Requests per 10 seconds; false for no limits. */
  rateLimits: { session: number; address: number; signIn: number; page: number } | false
  /** The time a service has to begin its answer, and the longest pause within it. */
  answerTimeoutMs: number
  connectTimeoutMs: number
  /** The most connections to one address. */
  connections: number
  /** The most open requests to one service. Reads are refused from three quarters of it. */
  maxInFlight: number
}

/** The only reader of the gateway's environment. */
export function readGatewayConfig(env: NodeJS.ProcessEnv): GatewayConfig {
  const values = readConfig(env, variables)
  const { auth, playbackSession, engagement, notification, chat, publicUrl, rateLimits, ...others } = values
  const { oidcIssuer, oidcProviders, allowAnybodyToSignInAsAnybody, ...direct } = others
  if (publicUrl) requireHttps('PUBLIC_URL', publicUrl, values.nodeEnv)
  const devProvider = !oidcIssuer && !oidcProviders && values.nodeEnv !== 'production'
  if (devProvider && !allowAnybodyToSignInAsAnybody) requireOwnMachine(values.host)
  return {
    ...direct,
    publicUrl: publicUrl ?? `http://localhost:${values.port}`,
    upstreams: { auth, 'playback-session': playbackSession, engagement, notification, chat },
    devProvider,
    devProviderForAll: allowAnybodyToSignInAsAnybody,
    rateLimits: rateLimits && {
      session: values.rateSession,
      address: values.rateAddress,
      signIn: values.rateSignIn,
      page: values.ratePage,
    },
  }
}

/**
 * The development provider signs anybody in as anybody. The check of the `Host` header keeps web
 * pages out, but not somebody else's program, which writes any name there.
 */
function requireOwnMachine(host: string): void {
  if (isLoopback(host.includes(':') ? `[${host}]` : host)) return
  throw new ConfigError(
    `HOST: "${host}" was given, where others reach Watchline, and without a sign-in provider anybody can sign in as anybody. Set OIDC_ISSUER; for a test network without real people, ALLOW_ANYBODY_TO_SIGN_IN_AS_ANYBODY=true`,
  )
}

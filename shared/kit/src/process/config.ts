import { z } from 'zod'
import { ConfigError } from '../core/config-error.ts'
import { readSettingFile } from '../core/setting-file.ts'
import type { ServerTls } from '../http/http-server.ts'
import { tracesSamplers } from '../observability/tracing.ts'

/** A setting: its environment variable and the accepted values. */
export interface Variable<T extends z.ZodType> {
  name: string
  schema: T
  /** Describes the accepted values in the error message. */
  accepted: string
  /** An empty file counts as no value: the organisation may never fill it in. */
  mayBeEmptyFile?: boolean
  /** Error messages hide the value, although the name does not say that it is secret. */
  isSecret?: boolean
  /** The value is the path of a file, so there is no `<NAME>_FILE`. */
  isPath?: boolean
  /** One or more addresses. In production they must use TLS; see {@link isPlainConnection}. */
  isConnection?: boolean
}

export function variable<T extends z.ZodType>(
  name: string,
  schema: T,
  accepted: string,
  options: Omit<Variable<T>, 'name' | 'schema' | 'accepted'> = {},
): Variable<T> {
  return { name, schema, accepted, ...options }
}

export { ConfigError }

type Spec = Record<string, Variable<z.ZodType>>
export type Config<S extends Spec> = { [K in keyof S]: z.infer<S[K]['schema']> }

/**
 * Reads settings from the environment. An empty value counts as absent. `<NAME>_FILE` names a file
 * with the value of `<NAME>`, as Docker and Kubernetes provide secrets; line breaks at its end are
 * dropped. An empty file is an error, because it is a secret that somebody forgot; settings with
 * `mayBeEmptyFile` accept it. Throws {@link ConfigError} with the variable, the value and the
 * accepted values. It never repeats secrets or the content of files.
 */
export function readConfig<S extends Spec>(env: NodeJS.ProcessEnv, spec: S): Config<S> {
  const config: Record<string, unknown> = {}
  const requiresTls = env.NODE_ENV === 'production' && !flag.safeParse(env.ALLOW_PLAIN_CONNECTIONS).data
  for (const [key, variable] of Object.entries(spec)) {
    const { name, schema, accepted, mayBeEmptyFile } = variable
    const { value, displayText, isEmptyFile } = readVariable(env, variable)
    const parsed = schema.safeParse(value)
    if (!parsed.success || (isEmptyFile && !mayBeEmptyFile))
      throw new ConfigError(`${name}: ${displayText} was given, accepted is ${accepted}`)
    if (requiresTls && variable.isConnection && [parsed.data].flat().some(isPlainConnection))
      throw new ConfigError(
        `${name}: ${displayText} was given, accepted in production is an address with TLS: https://, amqps://, ` +
          'rediss:// or mongodb://…tls=true; ALLOW_PLAIN_CONNECTIONS=true accepts others',
      )
    config[key] = parsed.data
  }
  return config as Config<S>
}

interface VariableValue {
  value: string | undefined
  displayText: string
  isEmptyFile?: true
}

function readVariable(
  env: NodeJS.ProcessEnv,
  { name, isSecret = false, isPath = false }: Variable<z.ZodType>,
): VariableValue {
  const value = env[name] || undefined
  if (isPath) return { value, displayText: value === undefined ? 'nothing' : `"${value}"` }
  const file = env[`${name}_FILE`] || undefined
  if (file === undefined) {
    const hidden = isSecret || /SECRET|KEY|PASSWORD|TOKEN/.test(name)
    return { value, displayText: value === undefined ? 'nothing' : hidden ? '(hidden)' : `"${withoutPassword(value)}"` }
  }
  if (value !== undefined)
    throw new ConfigError(`${name}_FILE: "${file}" was given and ${name} as well, accepted is one of the two`)
  const content = readSettingFile(`${name}_FILE`, file, 'a file').replace(/[\r\n]+$/, '')
  if (content === '') return { value: undefined, displayText: `the empty file "${file}"`, isEmptyFile: true }
  return { value: content, displayText: `(hidden, from "${file}")` }
}

/** Addresses of servers carry passwords: `amqp://user:password@host`. */
function withoutPassword(value: string): string {
  return value.replace(/(\/\/[^/@]*:)[^@]*@/, '$1(hidden)@')
}

/**
 * Whether a host is this machine itself, so that nobody else reaches it. `hostname` is in lower
 * case and has no port. RFC 6761 reserves `localhost` and all names below it.
 */
export function isLoopback(hostname: string): boolean {
  return /(^|\.)localhost$/.test(hostname) || /^127(\.\d{1,3}){3}$/.test(hostname) || hostname === '[::1]'
}

/**
 * Throws {@link ConfigError} for plain http in production: cookies and passwords would be readable
 * on the network.
 */
export function requireHttps(name: string, url: string, nodeEnv: string): void {
  if (nodeEnv === 'production' && url.startsWith('http:') && !isLoopback(new URL(url).hostname))
    throw new ConfigError(`${name}: "${url}" was given, accepted in production is an https address`)
}

/**
 * Whether anybody on the network between could read what goes over a connection to this address,
 * or act as the server. Connections within this machine are safe without TLS.
 */
export function isPlainConnection(address: unknown): boolean {
  const [, scheme = '', hosts = '', query = ''] =
    /^([a-z+]+):\/\/(?:[^/?#]*@)?([^/?#]*)[^?#]*(?:\?([^#]*))?/i.exec(String(address ?? '')) ?? []
  const isSecured = scheme.startsWith('mongodb') ? hasMongoTls(scheme, query) : /^(https|amqps|rediss)$/.test(scheme)
  return scheme !== '' && !isSecured && !hosts.split(',').every(host => isLoopback(hostnameOf(host)))
}

/** Option names of MongoDB's addresses have no case. */
function hasMongoTls(scheme: string, query: string): boolean {
  const options = new Map([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value]))
  const tls = options.get('tls') ?? options.get('ssl') ?? String(scheme === 'mongodb+srv')
  const isUnverified = ['tlsinsecure', 'tlsallowinvalidcertificates', 'tlsallowinvalidhostnames'].some(
    name => options.get(name) === 'true',
  )
  return tls === 'true' && !isUnverified
}

const hostnameOf = (host: string) => host.replace(/:\d+$/, '').toLowerCase()

export const port = z.coerce.number().int().min(0).max(65_535)
export const flag = z.enum(['true', 'false', '1', '0']).transform(value => value === 'true' || value === '1')
const secret = z.string().min(32)
/**
 * One secret a line. The first one signs, all of them are valid, so that a secret can be replaced
 * while processes run. `\n` written out counts as a line break.
 */
export const secrets = z
  .string()
  .transform(value => value.replaceAll('\\n', '\n').split(/\r?\n/).filter(Boolean))
  .pipe(z.tuple([secret], secret))
export const secretsAccepted = 'at least 32 characters on each line'
/** PEM in one line: `\n` written out counts as a line break. */
export const pem = z
  .string()
  .transform(value => value.replaceAll('\\n', '\n'))
  .pipe(z.string().startsWith('-----BEGIN'))

const foreverS = 2 ** 31 - 1

/** Days for which data are kept, as seconds; 0 keeps them for ever. */
function retentionDays(name: string, defaultDays: number) {
  const days = z.coerce.number().int().min(0).max(24_000).default(defaultDays)
  return variable(
    name,
    days.transform(value => (value === 0 ? foreverS : value * 24 * 3600)),
    'days, 0 (for ever) to 24000',
  )
}

/** The days of a retention setting; null for ever. */
export function daysOf(seconds: number): number | null {
  return seconds === foreverS ? null : seconds / (24 * 3600)
}

/**
 * How long data are kept, in seconds. Each service applies its own, and auth shows all of them to
 * people, so every service reads all.
 */
const retentionVariables = {
  retentionMessagesS: retentionDays('RETENTION_MESSAGES_DAYS', 730),
  retentionCommentsS: retentionDays('RETENTION_COMMENTS_DAYS', 730),
  retentionNotificationsS: retentionDays('RETENTION_NOTIFICATIONS_DAYS', 90),
  retentionReportsS: retentionDays('RETENTION_REPORTS_DAYS', 30),
  retentionSessionsS: retentionDays('RETENTION_SESSIONS_DAYS', 90),
  retentionSignInsS: retentionDays('RETENTION_SIGN_INS_DAYS', 30),
  retentionViewsS: retentionDays('RETENTION_VIEWS_DAYS', 365),
  retentionAuditS: retentionDays('RETENTION_AUDIT_DAYS', 1_095),
}

/**
 * For stores that commands open without the settings of the service. It has no effect, because only
 * a service creates the indexes that remove expired documents.
 */
export const placeholderRetention = { signInsS: 30 * 24 * 3600, auditS: foreverS }

/** The address of a service, for calls from another one. */
export function serviceUrl(name: string, defaultUrl: string, service: string) {
  const url = z.url({ protocol: /^https?$/ }).default(defaultUrl)
  return variable(name, url, `the address of the ${service} service`, { isConnection: true })
}

/** The settings of every service. */
export const baseVariables = {
  ...retentionVariables,
  nodeEnv: variable(
    'NODE_ENV',
    z.enum(['production', 'development', 'test']).default('development'),
    'production, development or test',
  ),
  logLevel: variable(
    'LOG_LEVEL',
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    'trace, debug, info, warn, error, fatal or silent',
  ),
  host: variable('HOST', z.string().default('127.0.0.1'), 'an address to listen on'),
  port: variable('PORT', port.default(0), 'a port from 0 to 65535'),
  metricsPort: variable(
    'METRICS_PORT',
    z.coerce.number().int().min(1).max(65_535).optional(),
    'a port from 1 to 65535, or nothing',
  ),
  rateLimits: variable('RATE_LIMITS', flag.default(true), 'true or false'),
  checkResponses: variable('CHECK_RESPONSES', flag.default(false), 'true or false'),
  drainMs: variable('DRAIN_MS', z.coerce.number().int().min(0).max(60_000).default(0), 'milliseconds, 0 to 60000'),
  mongoUrl: variable('MONGO_URL', z.string().regex(/^mongodb(\+srv)?:\/\//), 'a mongodb:// address of a replica set', {
    isConnection: true,
  }),
  databasePrefix: variable(
    'DATABASE_PREFIX',
    z
      .string()
      .regex(/^[\w-]{1,30}$/)
      .default('watchline'),
    'letters, digits, _ and -',
  ),
  amqpUrl: variable(
    'AMQP_URL',
    z
      .string()
      .regex(/^amqps?:\/\//)
      .optional(),
    'an amqp:// address',
    { isConnection: true },
  ),
  amqpExchange: variable('AMQP_EXCHANGE', z.string().min(1).max(100).default('watchline'), 'a name'),
  amqpServiceUsers: variable('AMQP_SERVICE_USERS', flag.default(false), 'true or false'),
  redisUrl: variable(
    'REDIS_URL',
    z
      .string()
      .regex(/^rediss?:\/\//)
      .optional(),
    'a redis:// address',
    { isConnection: true },
  ),
  redisPrefix: variable('REDIS_PREFIX', z.string().max(50).default('watchline:'), 'a prefix for keys'),
  tokenPublicKey: variable('TOKEN_PUBLIC_KEY', pem, 'public keys in PEM'),
  internalPrivateKey: variable('INTERNAL_PRIVATE_KEY', pem.optional(), 'a private key in PEM'),
  internalPublicKeys: variable(
    'INTERNAL_PUBLIC_KEYS',
    z
      .string()
      .transform(value => value.replaceAll('\\n', '\n'))
      .optional(),
    'lines of a service and its public key',
  ),
  internalSecrets: variable('INTERNAL_SECRET', secrets.optional(), secretsAccepted),
  authUrl: serviceUrl('AUTH_URL', 'http://127.0.0.1:8081', 'auth'),
  tlsCaFile: variable('TLS_CA_FILE', z.string().optional(), 'a file of certificates in PEM, or nothing', {
    isPath: true,
  }),
  tlsCertFile: variable('TLS_CERT_FILE', z.string().optional(), 'a file with a certificate in PEM, or nothing', {
    isPath: true,
  }),
  tlsKeyFile: variable('TLS_KEY_FILE', z.string().optional(), 'a file with a private key in PEM, or nothing', {
    isPath: true,
  }),
  allowPlainConnections: variable('ALLOW_PLAIN_CONNECTIONS', flag.default(false), 'true or false'),
  // The names and values of OpenTelemetry's own specification.
  otlpEndpoint: variable(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    z.url({ protocol: /^https?$/ }).optional(),
    'the http(s) address of an OpenTelemetry collector, or nothing',
  ),
  tracesSampler: variable(
    'OTEL_TRACES_SAMPLER',
    z.enum(tracesSamplers).default('parentbased_always_on'),
    'always_on, always_off or traceidratio, each also with parentbased_ before it',
  ),
  tracesSamplerArg: variable(
    'OTEL_TRACES_SAMPLER_ARG',
    z.coerce.number().min(0).max(1).default(1),
    'the share of traces to record, 0 to 1',
  ),
}
export type BaseConfig = Config<typeof baseVariables>

/**
 * The origins of other hosts with videos. Gateway and playback-session read it; empty means any
 * host.
 */
export const mediaHosts = variable(
  'MEDIA_HOSTS',
  z
    .string()
    .default('')
    .transform(list =>
      list
        .split(',')
        .map(address => address.trim())
        .filter(Boolean),
    )
    .pipe(z.array(z.url({ protocol: /^https?$/ }).transform(address => new URL(address).origin))),
  'http(s) addresses of hosts with videos, separated by commas',
)

/** As {@link readConfig} for a service, which must be able to identify itself to the others. */
export function readServiceConfig<S extends typeof baseVariables>(env: NodeJS.ProcessEnv, spec: S): Config<S> {
  const config = readConfig(env, spec)
  const { internalPrivateKey, internalPublicKeys, internalSecrets } = config as BaseConfig
  // Installations of older versions have only the shared secret.
  if (!internalPrivateKey && !internalPublicKeys && internalSecrets) return config
  for (const [name, value] of Object.entries({
    INTERNAL_PRIVATE_KEY: internalPrivateKey,
    INTERNAL_PUBLIC_KEYS: internalPublicKeys,
  }))
    if (!value) throw new ConfigError(`${name}: nothing was given, accepted is what \`npm run secrets\` creates`)
  return config
}

/**
 * The TLS of this process's own servers; undefined without a certificate. Throws
 * {@link ConfigError} if only one of the two files is set.
 */
export function serverTls(
  { tlsCertFile, tlsKeyFile }: Pick<BaseConfig, 'tlsCertFile' | 'tlsKeyFile'>,
  log: ServerTls['log'],
): ServerTls | undefined {
  if (tlsCertFile === undefined && tlsKeyFile === undefined) return undefined
  for (const [name, file, other] of [
    ['TLS_CERT_FILE', tlsCertFile, 'TLS_KEY_FILE'],
    ['TLS_KEY_FILE', tlsKeyFile, 'TLS_CERT_FILE'],
  ])
    if (file === undefined) throw new ConfigError(`${name}: nothing was given, but ${other} was; set both or none`)
  return { files: { certFile: tlsCertFile!, keyFile: tlsKeyFile! }, log }
}

import { isTimeZone } from '@watchline/contracts/fields'
import {
  type BaseConfig,
  baseVariables,
  ConfigError,
  flag,
  isLoopback,
  readServiceConfig,
  serviceUrl,
  variable,
} from '@watchline/kit/process/config'
import { z } from 'zod'
import { parseSender, type Sender } from './rules/mail-sender.ts'

export interface NotificationConfig extends BaseConfig {
  /** The origin people use in their browsers, without a trailing slash. */
  publicUrl: string
  playbackUrl: string
  engagementUrl: string
  /** The organisation's, for the times at which reminders are sent. */
  timeZone: string
  /** Undefined without a mail server: then no mail is promised or stored. */
  mail: MailConfig | undefined
}

export interface MailConfig {
  server: ServerAddress
  sender: Sender
  /** Also sends to addresses that the sign-in provider has not confirmed. */
  allowsUnverified: boolean
  /** The mailbox that receives delivery reports. */
  deliveryReports: ServerAddress | undefined
  /** An unanswered mail is sent again after this time without a delivery report. */
  deliveryReportWaitMs: number
  /** The most mails in a minute, of all replicas together; undefined without a limit. */
  maxPerMinute: number | undefined
}

export interface ServerAddress {
  host: string
  port: number
  /** TLS from the start. Otherwise the connection must change to TLS, unless `allowsPlain`. */
  isSecure: boolean
  /** The server runs on this machine, or ALLOW_PLAIN_CONNECTIONS permits it. */
  allowsPlain: boolean
  user: string | undefined
  password: string | undefined
}

const variables = {
  ...baseVariables,
  publicUrl: variable(
    'PUBLIC_URL',
    z
      .url({ protocol: /^https?$/ })
      .default('http://localhost:8080')
      .transform(url => new URL(url).origin),
    'the http(s) address browsers use',
  ),
  playbackUrl: serviceUrl('PLAYBACK_SESSION_URL', 'http://127.0.0.1:8082', 'playback-session'),
  engagementUrl: serviceUrl('ENGAGEMENT_URL', 'http://127.0.0.1:8083', 'engagement'),
  timeZone: variable(
    'ORG_TIMEZONE',
    z.string().default('UTC').refine(isTimeZone),
    'an IANA time zone, for instance Europe/Berlin',
  ),
  smtpUrl: variable(
    'SMTP_URL',
    z.url({ protocol: /^smtps?$/ }).optional(),
    'smtps://user:password@host or smtp://user:password@host, or nothing',
    { isSecret: true, mayBeEmptyFile: true },
  ),
  mailFrom: variable(
    'MAIL_FROM',
    z
      .string()
      .max(300)
      .refine(value => parseSender(value) !== undefined)
      .optional(),
    'an email address, or a name with an address: Watchline <watchline@example.org>',
  ),
  allowsUnverified: variable('MAIL_UNVERIFIED_ADDRESSES', flag.default(false), 'true or false'),
  deliveryReportsUrl: variable(
    'MAIL_REPORTS_URL',
    z.url({ protocol: /^imaps?$/ }).optional(),
    'imaps://user:password@host, or nothing',
    { isSecret: true, mayBeEmptyFile: true },
  ),
  deliveryReportWaitMs: variable(
    'MAIL_REPORT_WAIT_MINUTES',
    z.coerce
      .number()
      .min(0.1)
      .max(10_080)
      .default(30)
      .transform(minutes => minutes * 60_000),
    'minutes, 0.1 to 10080',
  ),
  maxPerMinute: variable(
    'MAIL_MAX_PER_MINUTE',
    z.coerce.number().int().min(1).max(100_000).optional(),
    'a whole number from 1 to 100000, or nothing',
  ),
}

/** The only reader of the environment. */
export function readNotificationConfig(env: NodeJS.ProcessEnv): NotificationConfig {
  const { smtpUrl, mailFrom, deliveryReportsUrl, allowsUnverified, deliveryReportWaitMs, maxPerMinute, ...config } =
    readServiceConfig(env, variables)
  if (!smtpUrl) return { ...config, mail: undefined }
  const sender = mailFrom && parseSender(mailFrom)
  if (!sender) throw new ConfigError('MAIL_FROM: nothing was given, but SMTP_URL was; accepted is an email address')
  const readAddress = (url: string) => parseServerAddress(url, config.allowPlainConnections)
  const deliveryReports = deliveryReportsUrl === undefined ? undefined : readAddress(deliveryReportsUrl)
  const limits = { allowsUnverified, deliveryReportWaitMs, maxPerMinute }
  return { ...config, mail: { server: readAddress(smtpUrl), sender, deliveryReports, ...limits } }
}

const defaultPorts: Record<string, number> = { 'smtp:': 587, 'smtps:': 465, 'imap:': 143, 'imaps:': 993 }

function parseServerAddress(text: string, allowPlainConnections: boolean): ServerAddress {
  const { protocol, hostname, port, username, password } = new URL(text)
  return {
    // Addresses of IPv6 stand in brackets.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port ? Number(port) : defaultPorts[protocol]!,
    isSecure: protocol.endsWith('s:'),
    allowsPlain: allowPlainConnections || isLoopback(hostname.toLowerCase()),
    user: username ? decodeURIComponent(username) : undefined,
    password: password ? decodeURIComponent(password) : undefined,
  }
}

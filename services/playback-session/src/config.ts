import { isTimeZone } from '@watchline/contracts/fields'
import { monitoringNoticeMode } from '@watchline/contracts/playback'
import {
  baseVariables,
  type Config,
  mediaHosts,
  readServiceConfig,
  secrets,
  secretsAccepted,
  variable,
} from '@watchline/kit/process/config'
import { z } from 'zod'

const reminderDaysAccepted = 'up to five different numbers of days from 1 to 90, separated by commas, or none'

const reminderDays = z
  .string()
  .transform(value => (value.trim() === 'none' ? [] : value.split(',').map(day => day.trim())))
  .pipe(
    z
      .array(
        z
          .string()
          .regex(/^\d{1,2}$/)
          .transform(Number)
          .pipe(z.number().min(1).max(90)),
      )
      .max(5),
  )
  .refine(days => new Set(days).size === days.length)

const variables = {
  ...baseVariables,
  publicUrl: variable(
    'PUBLIC_URL',
    z
      .url({ protocol: /^https?$/ })
      .transform(url => new URL(url).origin)
      .optional(),
    'the http(s) address browsers use',
  ),
  mediaRoot: variable('MEDIA_ROOT', z.string().optional(), 'a folder of video files'),
  mediaHosts,
  mediaSecrets: variable('MEDIA_SECRET', secrets, secretsAccepted),
  timeZone: variable(
    'ORG_TIMEZONE',
    z.string().default('UTC').refine(isTimeZone),
    'an IANA time zone, for instance Europe/Berlin',
  ),
  maxPlaybackRate: variable(
    'MAX_PLAYBACK_RATE',
    z.coerce.number().min(0.25).max(4).default(1),
    'a number from 0.25 to 4',
  ),
  monitoringNotice: variable('MONITORING_NOTICE', monitoringNoticeMode.default('off'), 'off, inform or consent'),
  monitoringNoticeText: variable('MONITORING_NOTICE_TEXT', z.string().max(4_000).optional(), 'up to 4000 characters'),
  reminderDaysBefore: variable('DUE_REMINDER_DAYS_BEFORE', reminderDays.prefault('1'), reminderDaysAccepted),
  reminderDaysAfter: variable('DUE_REMINDER_DAYS_AFTER', reminderDays.prefault('none'), reminderDaysAccepted),
  escalationDaysAfter: variable('DUE_ESCALATION_DAYS_AFTER', reminderDays.prefault('none'), reminderDaysAccepted),
  youtubeApiKey: variable(
    'YOUTUBE_API_KEY',
    z.string().regex(/^\S+$/).max(200).optional(),
    'a key of the YouTube Data API v3, or nothing',
    { mayBeEmptyFile: true },
  ),
  youtubeApiUrl: variable(
    'YOUTUBE_API_URL',
    z
      .url({ protocol: /^https?$/ })
      .default('https://www.googleapis.com/youtube/v3')
      .transform(url => url.replace(/\/+$/, '')),
    'the http(s) address of the YouTube Data API',
  ),
  youtubeCoversUrl: variable(
    'YOUTUBE_COVERS_URL',
    z
      .url({ protocol: /^https?$/ })
      .default('https://i.ytimg.com')
      .transform(url => url.replace(/\/+$/, '')),
    'the http(s) address of the pictures of YouTube videos',
  ),
}

export type PlaybackSessionConfig = Config<typeof variables>

/** The only reader of this service's environment. */
export function readPlaybackSessionConfig(env: NodeJS.ProcessEnv): PlaybackSessionConfig {
  return readServiceConfig(env, variables)
}

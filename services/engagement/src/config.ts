import { isTimeZone } from '@watchline/kit/core/calendar'
import { baseVariables, type Config, readServiceConfig, variable } from '@watchline/kit/process/config'
import { z } from 'zod'

const variables = {
  ...baseVariables,
  playbackUrl: variable(
    'PLAYBACK_SESSION_URL',
    z.url().default('http://127.0.0.1:8082'),
    'the address of the playback-session service',
  ),
  maxPlaybackRate: variable(
    'MAX_PLAYBACK_RATE',
    z.coerce.number().min(0.25).max(4).default(1),
    'a number from 0.25 to 4',
  ),
  timeZone: variable(
    'ORG_TIMEZONE',
    z.string().default('UTC').refine(isTimeZone),
    'an IANA time zone, for instance Europe/Berlin',
  ),
}

export type EngagementConfig = Config<typeof variables>

/** The only reader of this service's environment. */
export function readEngagementConfig(env: NodeJS.ProcessEnv): EngagementConfig {
  return readServiceConfig(env, variables)
}

import { baseVariables, type Config, readConfig, variable } from '@watchline/kit/config'
import { z } from 'zod'
import { isTimeZone } from './rules/calendar.ts'

const variables = {
  ...baseVariables,
  timeZone: variable(
    'ORG_TIMEZONE',
    z.string().default('UTC').refine(isTimeZone),
    'an IANA time zone, for instance Europe/Berlin',
  ),
}

export type PlaybackSessionConfig = Config<typeof variables>

/** The only reader of this service's environment. */
export function readPlaybackSessionConfig(env: NodeJS.ProcessEnv): PlaybackSessionConfig {
  return readConfig(env, variables)
}

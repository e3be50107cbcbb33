import { isTimeZone } from '@watchline/contracts/fields'
import { baseVariables, type Config, pem, readServiceConfig, serviceUrl, variable } from '@watchline/kit/process/config'
import { z } from 'zod'

const variables = {
  ...baseVariables,
  playbackUrl: serviceUrl('PLAYBACK_SESSION_URL', 'http://127.0.0.1:8082', 'playback-session'),
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
  publicUrl: variable(
    'PUBLIC_URL',
    z
      .url({ protocol: /^https?$/ })
      .transform(url => new URL(url).origin)
      .optional(),
    'the http(s) address browsers use',
  ),
  recordPrivateKey: variable('RECORD_PRIVATE_KEY', pem, 'a private Ed25519 key in PEM'),
}

export type EngagementConfig = Config<typeof variables>

/** The only reader of this service's environment. */
export function readEngagementConfig(env: NodeJS.ProcessEnv): EngagementConfig {
  return readServiceConfig(env, variables)
}

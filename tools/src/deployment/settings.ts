import { ConfigError } from '@watchline/kit/process/config'
import { readGatewayConfig } from '../../../gateway/src/config.ts'
import { readAuthConfig } from '../../../services/auth/src/config.ts'
import { readChatConfig } from '../../../services/chat/src/config.ts'
import { readEngagementConfig } from '../../../services/engagement/src/config.ts'
import { readNotificationConfig } from '../../../services/notification/src/config.ts'
import { readPlaybackSessionConfig } from '../../../services/playback-session/src/config.ts'

/** The function that reads each process's environment. */
export const configReaders = {
  gateway: readGatewayConfig,
  auth: readAuthConfig,
  'playback-session': readPlaybackSessionConfig,
  engagement: readEngagementConfig,
  notification: readNotificationConfig,
  chat: readChatConfig,
} as const

export type ProcessName = keyof typeof configReaders
export const processes = Object.keys(configReaders) as ProcessName[]

/** OpenTelemetry's exporter reads these itself. */
const exporterSettings = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_RESOURCE_ATTRIBUTES']

/**
 * Reads settings with the process's own reader. Lists invalid and missing settings. Lists names
 * that the reader never uses, because they are misspelled or belong to another process.
 */
export function settingsProblems(process: ProcessName, env: Record<string, string>): string[] {
  const usedNames = new Set<string>(['NODE_ENV', ...exporterSettings])
  const recordingEnv = new Proxy(env, {
    get: (target, name) => {
      usedNames.add(String(name))
      return target[String(name)]
    },
  })
  const problems: string[] = []
  try {
    configReaders[process](recordingEnv)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    problems.push(error.message)
    return problems
  }
  for (const name of Object.keys(env))
    if (!usedNames.has(name)) problems.push(`${name}: ${process} knows no such setting`)
  return problems
}

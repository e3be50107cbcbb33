import { type BaseConfig, baseVariables, readServiceConfig } from '@watchline/kit/process/config'

export type NotificationConfig = BaseConfig

/** The only reader of the environment. */
export function readNotificationConfig(env: NodeJS.ProcessEnv): NotificationConfig {
  return readServiceConfig(env, baseVariables)
}

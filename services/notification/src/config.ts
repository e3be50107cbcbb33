import { type BaseConfig, baseVariables, readConfig } from '@watchline/kit/process/config'

export type NotificationConfig = BaseConfig

/** The only reader of this service's environment. */
export function readNotificationConfig(env: NodeJS.ProcessEnv): NotificationConfig {
  return readConfig(env, baseVariables)
}

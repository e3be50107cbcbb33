import { type BaseConfig, baseVariables, readConfig } from '@watchline/kit/config'

export type NotificationConfig = BaseConfig

/** The only reader of this service's environment. */
export function readNotificationConfig(env: NodeJS.ProcessEnv): NotificationConfig {
  return readConfig(env, baseVariables)
}

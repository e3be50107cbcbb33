import { type BaseConfig, baseVariables, readConfig } from '@watchline/kit/config'

export type EngagementConfig = BaseConfig

/** The only reader of this service's environment. */
export function readEngagementConfig(env: NodeJS.ProcessEnv): EngagementConfig {
  return readConfig(env, baseVariables)
}

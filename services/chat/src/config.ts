import { type BaseConfig, baseVariables, readConfig } from '@watchline/kit/config'

export type ChatConfig = BaseConfig

/** The only reader of this service's environment. */
export function readChatConfig(env: NodeJS.ProcessEnv): ChatConfig {
  return readConfig(env, baseVariables)
}

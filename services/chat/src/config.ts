import { type BaseConfig, baseVariables, readServiceConfig } from '@watchline/kit/process/config'

export type ChatConfig = BaseConfig

/** The only reader of the environment. */
export function readChatConfig(env: NodeJS.ProcessEnv): ChatConfig {
  return readServiceConfig(env, baseVariables)
}

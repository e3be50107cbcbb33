import { type BaseConfig, baseVariables, readConfig } from '@watchline/kit/process/config'

export type ChatConfig = BaseConfig

/** The only reader of the environment. */
export function readChatConfig(env: NodeJS.ProcessEnv): ChatConfig {
  return readConfig(env, baseVariables)
}

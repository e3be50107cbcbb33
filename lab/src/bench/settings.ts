import { readConfig, variable } from '@watchline/kit/process/config'
import { z } from 'zod'
import { listOf } from '../shared/list-setting.ts'

export type Experiment = 'gateway' | 'chat' | 'polls' | 'stream' | 'dashboard' | 'lists' | 'tasks' | 'writes'

const variables = {
  rounds: variable('ROUNDS', z.coerce.number().int().min(1).max(20).default(3), 'a whole number from 1 to 20'),
  seconds: variable('SECONDS', z.coerce.number().min(1).max(3_600).default(10), 'a number from 1 to 3600'),
  ratePerS: variable('RATE', z.coerce.number().min(1).max(100_000).default(1_000), 'a number from 1 to 100000'),
  watchedVideos: variable(
    'VIDEOS',
    listOf(z.coerce.number<string>().int().min(1).max(2_000)).optional(),
    'whole numbers from 1 to 2000, separated by commas',
  ),
  killCount: variable('KILL', z.coerce.number().int().min(0).max(100).default(0), 'a whole number from 0 to 100'),
}

/** The settings of `make bench`. Throws ConfigError. */
export function readSettings(env: NodeJS.ProcessEnv) {
  return { ...readConfig(env, variables), only: env.ONLY, experiment: readExperiment(env) }
}

function readExperiment(env: NodeJS.ProcessEnv): Experiment {
  if (env.ONLY === 'gateway') return 'gateway'
  if (env.CHAT === '1') return 'chat'
  if (env.POLLS === '1') return 'polls'
  if (env.STREAM === '1') return 'stream'
  if (env.DASHBOARD === '1') return 'dashboard'
  if (env.LISTS === '1') return 'lists'
  if (env.TASKS === '1') return 'tasks'
  return 'writes'
}

export type Settings = ReturnType<typeof readSettings>

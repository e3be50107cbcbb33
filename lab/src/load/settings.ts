import { readConfig, variable } from '@watchline/kit/process/config'
import { z } from 'zod'

export const scenarios = ['rolling', 'outage', 'replicas', 'isolation'] as const
export type Scenario = (typeof scenarios)[number]

const scenarioNames = z
  .string()
  .default('')
  .transform(text => text.split(/[\s,]+/).filter(Boolean))
  .pipe(z.array(z.enum(scenarios)))

const variables = {
  only: variable('ONLY', scenarioNames, `any of ${scenarios.join(', ')}`),
  rounds: variable('ROUNDS', z.coerce.number().int().min(1).max(20).optional(), 'a whole number from 1 to 20'),
  scale: variable('SCALE', z.coerce.number().min(0.01).max(10).default(1), 'a number from 0.01 to 10'),
  seconds: variable('SECONDS', z.coerce.number().min(1).max(3_600).optional(), 'a number from 1 to 3600'),
}

/** The settings of `make load`. Throws ConfigError. */
export function readSettings(env: NodeJS.ProcessEnv) {
  const { only, ...settings } = readConfig(env, variables)
  return { ...settings, only: only.length > 0 ? scenarios.filter(name => only.includes(name)) : scenarios }
}

export type Settings = ReturnType<typeof readSettings>

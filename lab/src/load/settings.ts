import { readConfig, variable } from '@watchline/kit/process/config'
import { z } from 'zod'
import { listOf } from '../shared/list-setting.ts'
import { productKinds } from '../shared/product.ts'

export const scenarios = ['rolling', 'outage', 'replicas', 'isolation', 'trainees'] as const
export type Scenario = (typeof scenarios)[number]

const usualSteps = [150, 300, 600, 900, 1_200, 1_800, 2_400]

const variables = {
  only: variable('ONLY', listOf(z.enum(scenarios)).default([...scenarios]), `any of ${scenarios.join(', ')}`),
  rounds: variable('ROUNDS', z.coerce.number().int().min(1).max(20).optional(), 'a whole number from 1 to 20'),
  scale: variable('SCALE', z.coerce.number().min(0.01).max(10).default(1), 'a number from 0.01 to 10'),
  steps: variable(
    'STEPS',
    listOf(z.coerce.number<string>().int().min(1).max(10_000))
      .transform(numbers => numbers.sort((a, b) => a - b))
      .default(usualSteps),
    'whole numbers from 1 to 10000, separated by commas',
  ),
  systems: variable(
    'SYSTEMS',
    listOf(z.enum(productKinds)).default([...productKinds]),
    `any of ${productKinds.join(', ')}`,
  ),
  together: variable(
    'TOGETHER',
    z.coerce.number().int().min(0).max(10_000).default(1_000),
    'a whole number up to 10000',
  ),
  storedPeople: variable(
    'PEOPLE',
    z.coerce.number().int().min(0).max(1_000_000).default(0),
    'a whole number up to 1000000',
  ),
  storedRecords: variable(
    'RECORDS',
    z.coerce.number().int().min(0).max(20_000_000).default(0),
    'a whole number up to 20000000',
  ),
  seconds: variable('SECONDS', z.coerce.number().min(1).max(3_600).optional(), 'a number from 1 to 3600'),
}

/** The settings of `make load`. Throws ConfigError. */
export function readSettings(env: NodeJS.ProcessEnv) {
  const { only, ...settings } = readConfig(env, variables)
  return { ...settings, only: scenarios.filter(name => only.includes(name)) }
}

export type Settings = ReturnType<typeof readSettings>

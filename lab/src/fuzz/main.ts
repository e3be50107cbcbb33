/*
 * `make fuzz`: Schemathesis calls every operation of the running demo organisation with generated
 * input, for every role, and checks the answers against the OpenAPI document. Exits with 1 if it
 * finds a fault. Environment:
 *
 * - ONLY: some of nobody, user, supervisor, manager, director, admin
 * - SECONDS (120): how long each role is fuzzed, up to 500
 * - SEED (1): the same seed makes the same calls
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError, readConfig, variable } from '@watchline/kit/process/config'
import { z } from 'zod'
import { cacheFolder, projectRoot } from '../../../tools/src/provision/paths.ts'
import { ProvisionError } from '../../../tools/src/provision/types.ts'
import { watchForInterruption } from '../../../tools/src/start/interruption.ts'
import { type Caller, callers } from './callers.ts'
import type { Finding } from './findings.ts'
import { fuzzProduct } from './fuzz.ts'
import { phases } from './schemathesis.ts'

const variables = {
  only: variable(
    'ONLY',
    z
      .string()
      .transform(text => text.split(/[\s,]+/).filter(Boolean))
      .pipe(z.array(z.enum(callers)).min(1))
      .default([...callers]),
    `any of ${callers.join(', ')}`,
  ),
  seconds: variable('SECONDS', z.coerce.number().int().min(1).max(500).default(120), 'a whole number from 1 to 500'),
  seed: variable('SEED', z.coerce.number().int().min(0).default(1), 'a whole number'),
}

const log = (line: string) => console.error(line)
process.chdir(projectRoot)
const interruption = watchForInterruption()
let exitCode = 0
try {
  const { only, seconds, seed } = readConfig(process.env, variables)
  const folder = mkdtempSync(join(tmpdir(), 'watchline-fuzz-'))
  try {
    interruption.arm()
    const fuzzing = fuzzProduct({ folder, callers: only, phases, maxExamples: 50, seconds, seed, log })
    const outcome = await Promise.race([fuzzing, interruption.signal])
    if (outcome instanceof Map) exitCode = report(outcome)
    else exitCode = 130
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
} catch (error) {
  const isExpected = error instanceof ProvisionError || error instanceof ConfigError
  console.error(isExpected ? error.message : error)
  exitCode = error instanceof ConfigError ? 2 : 1
}
process.exit(exitCode)

/** Prints each kind of fault once, with one example, and writes all of them to a file. */
function report(faultsByCaller: ReadonlyMap<Caller, readonly Finding[]>): number {
  const folder = join(cacheFolder(), 'fuzz')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'faults.json')
  writeFileSync(file, JSON.stringify(Object.fromEntries(faultsByCaller), null, 2))
  let kinds = 0
  for (const [caller, faults] of faultsByCaller)
    for (const [kind, [example]] of Map.groupBy(faults, ({ operation, check }) => `${operation} ${check}`)) {
      kinds += 1
      console.log(`${caller}: ${kind}\n  ${example!.message.replaceAll('\n', ' ')}`)
      console.log(`  answer ${example!.status ?? 'none'} to ${example!.request}`)
    }
  console.log(kinds === 0 ? 'No fault found.' : `${kinds} kinds of faults. All of them: ${file}`)
  return kinds === 0 ? 0 : 1
}

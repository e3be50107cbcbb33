import { ConfigError, flag, port, readConfig, variable } from '@watchline/kit/process/config'
import { z } from 'zod'
import { type ProcessName, processNames } from './system.ts'

const name = z.enum(processNames as [ProcessName, ...ProcessName[]])
const count = z.coerce.number().int().min(1).max(32)
export const countsAccepted = `any of ${processNames.join(', ')} with a number from 1 to 32, for instance "engagement=4 chat=3"`

/** `engagement=4 chat=3` as numbers of replicas. */
const counts = z
  .string()
  .default('')
  .transform(text => text.split(/[\s,]+/).filter(Boolean))
  .pipe(z.array(z.string().regex(/^[\w-]+=\d+$/)))
  .transform(list => Object.fromEntries(list.map(pair => pair.split('='))))
  .pipe(z.partialRecord(name, count))

const variables = {
  port: variable('PORT', port.default(8080), 'a port from 0 to 65535'),
  dataDir: variable('DATA_DIR', z.string().default('data'), 'a folder'),
  demo: variable('DEMO', flag.default(false), 'true or false'),
  replicas: variable('REPLICAS', counts, countsAccepted),
  drainMs: variable('DRAIN_MS', z.coerce.number().int().min(0).max(60_000).default(2_000), 'milliseconds, 0 to 60000'),
}

/** The settings of `make up`. */
export const readSettings = (env: NodeJS.ProcessEnv) => readConfig(env, variables)

/** Throws {@link ConfigError} for anything but `<service>=<number>`. */
export function readCounts(args: readonly string[]): Partial<Record<ProcessName, number>> {
  const parsed = counts.safeParse(args.join(' '))
  if (!parsed.success || args.length === 0)
    throw new ConfigError(`"${args.join(' ')}" was given, accepted is ${countsAccepted}`)
  return parsed.data
}

export function readName(text: string | undefined): ProcessName | undefined {
  if (text === undefined) return undefined
  const parsed = name.safeParse(text)
  if (!parsed.success) throw new ConfigError(`"${text}" was given, accepted is one of ${processNames.join(', ')}`)
  return parsed.data
}

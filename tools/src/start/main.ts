// `make start`, or `make demo` with --demo: Watchline in one process.
import { parseArgs } from 'node:util'
import { ConfigError, port as portSchema } from '@watchline/kit/process/config'
import { expectShortLivedObjects } from '@watchline/kit/process/short-lived-objects'
import { projectRoot } from '../provision/paths.ts'
import { ProvisionError } from '../provision/types.ts'
import { startAllInOne } from './all-in-one.ts'
import { watchForInterruption } from './interruption.ts'

const { values } = parseArgs({ options: { demo: { type: 'boolean', default: false } } })
expectShortLivedObjects()
process.chdir(projectRoot)
const interruption = watchForInterruption()
const log = (line: string) => console.error(`  ${line}`)

try {
  const port = portSchema.safeParse(process.env.PORT || 8080)
  if (!port.success) throw new ConfigError(`PORT: "${process.env.PORT}" was given, accepted is a port from 0 to 65535`)
  const watchline = await startAllInOne({
    env: process.env,
    port: port.data,
    dataDir: process.env.DATA_DIR || 'data',
    demo: values.demo,
    log,
  })
  interruption.arm()
  console.log(`Watchline is ready at ${watchline.url}`)
  await interruption.signal
  log('stopping')
  await watchline.stop()
  process.exit(0)
} catch (error) {
  console.error(isPlain(error) ? `Watchline cannot start: ${describeError(error as Error)}` : error)
  process.exit(1)
}

/** Errors whose message suffices, without a stack. */
function isPlain(error: unknown): boolean {
  return error instanceof ConfigError || error instanceof ProvisionError || isPortTaken(error)
}

function isPortTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException)?.code === 'EADDRINUSE'
}

function describeError(error: Error): string {
  return isPortTaken(error) ? `port ${process.env.PORT || 8080} is in use. Set PORT to another one.` : error.message
}

// `make test`: real servers, then format, lint, types and walls, then every test. Arguments go to Jest; with any, the
// checks are left out. Jest's summary is the last thing printed, whatever failed before it.
import { join } from 'node:path'
import { projectRoot, provisionTestServers } from '../provision/servers.ts'
import { ProvisionError } from '../provision/types.ts'
import { watchForInterruption } from '../start/interruption.ts'
import { runWithEnv } from './run-with-env.ts'

const jestArguments = process.argv.slice(2)
const say = (line: string) => console.error(line)

process.chdir(projectRoot)
const interruption = watchForInterruption()
let exitCode = 0
try {
  say('— servers: MongoDB, RabbitMQ, Redis, Chromium')
  const servers = await provisionTestServers(say)
  interruption.arm()
  try {
    if (jestArguments.length === 0) {
      say('— checks: format, lint, types, walls')
      exitCode = await runWithEnv(['npm', 'run', '--silent', 'check'], {}, interruption.arrived)
      say(exitCode ? '— checks FAILED (see above); the tests run all the same' : '— checks passed')
    }
    say('— tests')
    const options = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning']
    const env = { ...servers.env, NODE_OPTIONS: [process.env.NODE_OPTIONS, ...options].filter(Boolean).join(' ') }
    const jest = join(projectRoot, 'node_modules/jest/bin/jest.js')
    // One more than there are cores: what plays a clip in real time, or waits for a server, leaves two of them idle for a third of the time.
    exitCode =
      (await runWithEnv([process.execPath, jest, '--maxWorkers=3', ...jestArguments], env, interruption.arrived)) ||
      exitCode
  } finally {
    await servers.stop()
  }
} catch (error) {
  console.error(error instanceof ProvisionError ? error.message : error)
  exitCode = 1
}
process.exit(exitCode)

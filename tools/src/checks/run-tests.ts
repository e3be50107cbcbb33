// `make test`: starts real servers, checks format, lint, types and walls, then runs every test.
// Arguments go to Jest; with arguments the checks are skipped. Jest's summary is the last output,
// so that the result of the tests is on screen even if a check failed.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../provision/paths.ts'
import { provisionTestServers } from '../provision/servers.ts'
import { ProvisionError } from '../provision/types.ts'
import { watchForInterruption } from '../start/interruption.ts'
import { ensureWebBuild } from '../start/web-build.ts'
import { runWithEnv } from './run-with-env.ts'

const jestArguments = process.argv.slice(2)
const print = (line: string) => console.error(line)

process.chdir(projectRoot)
const interruption = watchForInterruption()
let exitCode = 0
try {
  print('— servers: MongoDB, RabbitMQ, Redis, Chromium')
  const servers = await provisionTestServers(print)
  interruption.arm()
  try {
    if (jestArguments.length === 0) {
      // Otherwise the first journeys would each build the client, at the same time.
      await ensureWebBuild({ log: print })
      print('— checks: format, lint, types, walls')
      exitCode = await runWithEnv(['npm', 'run', '--silent', 'check'], {}, interruption.signal)
      print(exitCode ? '— checks FAILED (see above); running the tests anyway' : '— checks passed')
    }
    print('— tests')
    exitCode = (await runJest(servers.env)) || exitCode
  } finally {
    await servers.stop()
  }
} catch (error) {
  console.error(error instanceof ProvisionError ? error.message : error)
  exitCode = 1
}
process.exit(exitCode)

function runJest(env: Record<string, string>): Promise<number> {
  const nodeOptions = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning']
  // More workers than cores, because a worker that waits for a server or a clip leaves its core
  // idle. Many more cost time: pages that play and poll meanwhile use the processor for longer.
  const workers = Math.min(availableParallelism() + 2, 8)
  // More room for new objects: fewer collections of garbage, 5% less processor time.
  const heapFlag = '--max-semi-space-size=64'
  const command = [
    process.execPath,
    heapFlag,
    join(projectRoot, 'node_modules/jest/bin/jest.js'),
    '--reporters=default',
    `--reporters=${join(projectRoot, 'tools/src/checks/slowest-suites-reporter.ts')}`,
    `--testSequencer=${join(projectRoot, 'tools/src/checks/long-suites-first.ts')}`,
    `--maxWorkers=${workers}`,
    ...jestArguments,
  ]
  const NODE_OPTIONS = [process.env.NODE_OPTIONS, ...nodeOptions].filter(Boolean).join(' ')
  return runWithEnv(command, { ...env, NODE_OPTIONS }, interruption.signal)
}

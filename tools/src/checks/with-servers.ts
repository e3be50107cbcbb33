// Runs a command with real servers:   node tools/src/checks/with-servers.ts -- npx jest shared/kit
// Keeps servers up until it is ended:  node tools/src/checks/with-servers.ts --hold servers.env
// (then run `. servers.env` in another shell)
import { writeFileSync } from 'node:fs'
import { provisionTestServers } from '../provision/servers.ts'
import { ProvisionError } from '../provision/types.ts'
import { watchForInterruption } from '../start/interruption.ts'
import { runWithEnv } from './run-with-env.ts'

const [mode, ...modeArgs] = process.argv.slice(2)
const command = mode === '--' ? modeArgs : []
const holdFile = mode === '--hold' ? modeArgs[0] : undefined
if (!command[0] && !holdFile) {
  console.error('usage: with-servers.ts -- <command> [arguments], or with-servers.ts --hold <env file>')
  process.exit(2)
}

const interruption = watchForInterruption()
let exitCode = 0
try {
  const servers = await provisionTestServers(line => console.error(line))
  interruption.arm()
  try {
    if (holdFile) await keepServersUp(holdFile, servers.env)
    else exitCode = await runWithEnv(command, servers.env, interruption.signal)
  } finally {
    await servers.stop()
  }
} catch (error) {
  console.error(error instanceof ProvisionError ? error.message : error)
  exitCode = 1
}
process.exit(exitCode)

async function keepServersUp(file: string, env: Record<string, string>) {
  const lines = Object.entries(env).map(([name, value]) => `export ${name}='${value}'\n`)
  writeFileSync(file, lines.join(''))
  console.error(`servers are up; their addresses are in ${file}`)
  // With servers from the environment nothing else keeps this process alive.
  const keepAlive = setInterval(() => {}, 60_000)
  await interruption.signal
  clearInterval(keepAlive)
}

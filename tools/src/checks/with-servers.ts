// Runs a command with real servers:   node tools/src/checks/with-servers.ts -- npx jest shared/kit
// or keeps them up until it is ended:  node tools/src/checks/with-servers.ts --hold servers.env   (then `. servers.env` elsewhere)
import { writeFileSync } from 'node:fs'
import { provisionTestServers } from '../provision/servers.ts'
import { ProvisionError } from '../provision/types.ts'
import { watchForInterruption } from '../start/interruption.ts'
import { runWithEnv } from './run-with-env.ts'

const [mode, ...rest] = process.argv.slice(2)
const command = mode === '--' ? rest : []
const holdFile = mode === '--hold' ? rest[0] : undefined
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
    if (holdFile) await hold(holdFile, servers.env)
    else exitCode = await runWithEnv(command, servers.env, interruption.signal)
  } finally {
    await servers.stop()
  }
} catch (error) {
  console.error(error instanceof ProvisionError ? error.message : error)
  exitCode = 1
}
process.exit(exitCode)

async function hold(file: string, env: Record<string, string>) {
  const lines = Object.entries(env).map(([name, value]) => `export ${name}='${value}'\n`)
  writeFileSync(file, lines.join(''))
  console.error(`servers are up; their addresses are in ${file}`)
  // with servers that are not ours nothing else keeps this process alive
  const awake = setInterval(() => {}, 60_000)
  await interruption.signal
  clearInterval(awake)
}

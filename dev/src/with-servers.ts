// Runs a command with real servers:   node dev/src/with-servers.ts -- npx jest shared/kit
// or keeps them up until it is ended:  node dev/src/with-servers.ts --hold servers.env   (then `. servers.env` elsewhere)
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { projectRoot, provisionTestServers } from './provision/servers.ts'
import { ProvisionError } from './provision/types.ts'

const [mode, ...rest] = process.argv.slice(2)
const command = mode === '--' ? rest : []
const holdFile = mode === '--hold' ? rest[0] : undefined
if (!command[0] && !holdFile) {
  console.error('usage: with-servers.ts -- <command> [arguments], or with-servers.ts --hold <env file>')
  process.exit(2)
}

const stopSignal = new Promise<NodeJS.Signals>(resolve => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal))
})

try {
  const servers = await provisionTestServers(line => console.error(line))
  try {
    if (holdFile) await hold(holdFile, servers.env)
    else process.exitCode = await runCommand(command, servers.env)
  } finally {
    await servers.stop()
  }
} catch (error) {
  console.error(error instanceof ProvisionError ? error.message : error)
  process.exitCode = 1
}
process.exit()

async function hold(file: string, env: Record<string, string>) {
  const lines = Object.entries(env).map(([name, value]) => `export ${name}='${value}'\n`)
  writeFileSync(file, lines.join(''))
  console.error(`servers are up; their addresses are in ${file}`)
  // a pending promise alone does not keep the process alive, its servers do
  await stopSignal
}

async function runCommand([program = '', ...args]: string[], env: Record<string, string>): Promise<number> {
  const path = [join(projectRoot, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, PATH: path, ...env } })
  stopSignal.then(signal => child.kill(signal))
  const [code, signal] = await once(child, 'exit')
  return signal ? 1 : code
}

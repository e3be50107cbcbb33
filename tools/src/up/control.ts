import { createHash } from 'node:crypto'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Distributed, type ProcessName, processNames } from './system.ts'

/** Contains only a hash of the path, because a socket's name is limited to about 100 characters. */
const socketOf = (dataDir: string) =>
  join(tmpdir(), `watchline-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}.sock`)

/** A command to a running system. */
export type Command =
  | { do: 'status' }
  | { do: 'roll'; name?: ProcessName }
  | { do: 'scale'; counts: Partial<Record<ProcessName, number>> }
  | { do: 'down' }

export interface Status {
  url: string
  /** The process id of the daemon. */
  pid: number
  processes: { name: string; pid: number; ready: boolean; restarts: number; url: string }[]
}

/** Accepts commands for this data folder's system on a socket that only its owner may use. */
export async function acceptCommands(dataDir: string, system: Distributed, down: () => void) {
  const socket = socketOf(dataDir)
  const status = (): Status => ({
    url: system.url,
    pid: process.pid,
    processes: processNames.flatMap(name =>
      system.groups[name].replicas.map(({ name, pid, ready, restarts, url }) => ({ name, pid, ready, restarts, url })),
    ),
  })

  async function execute(command: Command): Promise<unknown> {
    if (command.do === 'roll') await system.roll(command.name)
    if (command.do === 'scale')
      for (const [name, count] of Object.entries(command.counts)) await system.groups[name as ProcessName].scale(count)
    if (command.do === 'down') down()
    return status()
  }

  const server = createServer(async (req, res) => {
    try {
      let text = ''
      for await (const chunk of req) text += chunk
      res.end(JSON.stringify(await execute(JSON.parse(text))))
    } catch (error) {
      res.writeHead(500).end(JSON.stringify({ error: (error as Error).message }))
    }
  })
  rmSync(socket, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socket, resolve)
  })
  chmodSync(socket, 0o600)
  return {
    close: () => {
      server.close()
      server.closeAllConnections()
      rmSync(socket, { force: true })
    },
  }
}

/** Sends a command to this data folder's system. Undefined if none runs; rejects if it failed. */
export function sendCommand(dataDir: string, command: Command): Promise<Status | undefined> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath: socketOf(dataDir), method: 'POST' }, async answer => {
      try {
        let text = ''
        for await (const chunk of answer) text += chunk
        const body = JSON.parse(text)
        if (answer.statusCode === 200) resolve(body)
        else reject(new Error(body.error))
      } catch (error) {
        reject(error)
      }
    })
    call.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' || error.code === 'ECONNREFUSED' ? resolve(undefined) : reject(error),
    )
    call.end(JSON.stringify(command))
  })
}

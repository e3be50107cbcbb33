import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from '@jest/globals'
import { Agent } from 'undici'
import type { Provisioned } from '../../src/provision/types.ts'
import { type Distributed, type DistributedOptions, startDistributed } from '../../src/up/system.ts'

/** A folder, servers and a system for the tests of a file, which stops and removes them. */
export function useOwnServers({ connections }: { connections: number }) {
  const folder = mkdtempSync(join(tmpdir(), 'watchline-up-'))
  const agent = new Agent({ connections })
  const servers: Provisioned[] = []
  let system: Distributed | undefined
  afterAll(async () => {
    await agent.close()
    await system?.stop()
    for (const server of servers) await server.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return {
    folder,
    /** The connections of the clients. */
    agent,
    /** Servers that stop after the system. */
    servers,
    startSystem: async (options: Omit<DistributedOptions, 'dataDir' | 'port' | 'log'>): Promise<Distributed> => {
      system = await startDistributed({ ...options, dataDir: folder, port: 0, log: () => {} })
      return system
    },
  }
}

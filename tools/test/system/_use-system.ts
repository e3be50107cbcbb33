import { afterAll, beforeAll } from '@jest/globals'
import { startProcesses } from '../observability/_systems.ts'
import { startTraffic, type Traffic } from '../observability/_traffic.ts'

type System = Awaited<ReturnType<typeof startProcesses>>

/**
 * Starts separate processes and people who use them for the tests of a file, and stops them.
 * `prepareEnv` runs before and gives settings.
 */
export function useSystem(prepareEnv: () => Promise<NodeJS.ProcessEnv> = async () => ({})): {
  readonly system: System
  readonly traffic: Traffic
} {
  let system: System | undefined
  let traffic: Traffic | undefined
  beforeAll(async () => {
    system = await startProcesses(await prepareEnv())
    traffic = await startTraffic(system.url)
  })
  afterAll(async () => {
    await traffic?.close()
    await system?.close()
  })
  return {
    get system() {
      return system!
    },
    get traffic() {
      return traffic!
    },
  }
}

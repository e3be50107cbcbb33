import { afterAll, beforeAll } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { openChromium } from './browser.ts'
import { type StartOptions, type System, startSystem } from './system.ts'

export interface House {
  system: System
  browser: Browser
  close(): Promise<void>
}

/** The product and a browser. */
export async function startHouse(options?: StartOptions): Promise<House> {
  const [system, browser] = await Promise.all([startSystem(options), openChromium()])
  return {
    system,
    browser,
    close: async () => {
      await browser.close()
      await system.stop()
    },
  }
}

/** The same for the journeys of one file: there before the first, gone after the last. */
export function openHouse(options?: StartOptions): { readonly system: System; readonly browser: Browser } {
  let house: House | undefined
  beforeAll(async () => {
    house = await startHouse(options)
  }, 120_000)
  afterAll(() => house?.close())
  return {
    get system() {
      return house!.system
    },
    get browser() {
      return house!.browser
    },
  }
}

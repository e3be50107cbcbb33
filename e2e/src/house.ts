import { afterAll, beforeAll } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { openChromium } from './browser.ts'
import { type StartOptions, type System, startSystem } from './system.ts'

/** The product and a browser for the journeys of one file: there before the first, gone after the last. */
export function openHouse(options?: StartOptions): { readonly system: System; readonly browser: Browser } {
  let system: System | undefined
  let browser: Browser | undefined
  beforeAll(async () => {
    ;[system, browser] = await Promise.all([startSystem(options), openChromium()])
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await system?.stop()
  })
  return {
    get system() {
      return system!
    },
    get browser() {
      return browser!
    },
  }
}

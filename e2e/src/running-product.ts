import { afterAll, beforeAll } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { openChromium } from './browser.ts'
import { type StartOptions, type System, startSystem } from './system.ts'

export interface RunningProduct {
  system: System
  browser: Browser
  close(): Promise<void>
}

/** Starts the product and a browser. */
export async function startProduct(options?: StartOptions): Promise<RunningProduct> {
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

/** Starts product and browser before the first journey of a file, and stops them after the last. */
export function useProduct(options?: StartOptions): { readonly system: System; readonly browser: Browser } {
  let product: RunningProduct | undefined
  beforeAll(async () => {
    product = await startProduct(options)
  })
  afterAll(() => product?.close())
  return {
    get system() {
      return product!.system
    },
    get browser() {
      return product!.browser
    },
  }
}

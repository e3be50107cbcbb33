// `make screens`: takes pictures of every screen of the demo, at four widths, light and dark.
// ONLY=supervisor,admin  some roles only    WIDTHS=390,1280  some widths only
// BASE_URL=http://localhost:8080  a demo that already runs
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { openChromium, startVisit, waitForAnimations } from '../browser.ts'
import { startSystem } from '../system.ts'
import { listTours } from './tours.ts'

const heights: Record<number, number> = { 390: 844, 768: 1024, 1280: 800, 1920: 1080 }
/** Widths of touch screens. */
const touchWidths = [390, 768]
const schemes = ['light', 'dark'] as const

const folder = fileURLToPath(new URL('../../../docs/screens/', import.meta.url))
const only = process.env.ONLY?.split(',')
const widths = process.env.WIDTHS?.split(',').map(Number) ?? Object.keys(heights).map(Number)
const unknownWidths = widths.filter(width => heights[width] === undefined)
if (unknownWidths.length > 0) {
  console.error(`WIDTHS may hold ${Object.keys(heights).join(', ')}, not ${unknownWidths.join(', ')}`)
  process.exit(2)
}

/** A picture waits at most this long for what still moves or loads. */
const settleMs = 8_000

/** Takes one picture for each color scheme. */
async function shootSchemes(page: Page, name: string, isWhole = false): Promise<void> {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
    await waitUntilSettled(page)
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`), fullPage: isWhole })
  }
}

async function waitUntilSettled(page: Page): Promise<void> {
  const loaded = page.waitForFunction(
    () =>
      document.fonts.status === 'loaded' &&
      [...document.images].every(({ complete, loading }) => complete || loading === 'lazy') &&
      [...document.querySelectorAll('video')].every(({ readyState, error }) => readyState > 1 || error),
    undefined,
    { timeout: settleMs },
  )
  await Promise.allSettled([loaded, waitForAnimations(page, { timeout: settleMs })])
}

mkdirSync(folder, { recursive: true })
const [system, browser] = await Promise.all([
  startSystem({ demo: true, env: { DEMO_HISTORY: 'true', MONITORING_NOTICE: 'consent' } }),
  openChromium(),
])
let count = 0
try {
  for (const [index, width] of widths.entries()) {
    const isTouch = touchWidths.includes(width)
    const context = { viewport: { width, height: heights[width]! }, isMobile: isTouch, hasTouch: isTouch }
    for (const { role, walk } of listTours(index)) {
      if (only && !only.includes(role)) continue
      const visit = await startVisit(browser, context)
      await walk(visit.page, system.url, async (screen, { page = visit.page, whole } = {}) => {
        await shootSchemes(page, `${screen}-${width}`, whole)
        count += schemes.length
      })
      await visit.context.close()
      if (visit.pageErrors.length > 0) throw new Error(`${role}, ${width} pixels: ${visit.pageErrors.join('; ')}`)
    }
  }
} finally {
  await browser.close()
  await system.stop()
}
console.error(`${count} pictures are in docs/screens`)

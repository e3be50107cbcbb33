import type { Page } from 'playwright-core'
import { waitForBriefText } from './browser.ts'

/**
 * Pauses when the clip has played for this long. The page itself presses the button: on a slow
 * machine the clip would play on for seconds before a click of the test arrives.
 */
export async function pauseAfter(page: Page, seconds: number): Promise<void> {
  await page.waitForFunction(played => {
    const video = document.querySelector('video')
    // A clip that continues at its last position is there before it plays.
    if (!video || video.currentTime <= played || !document.querySelector('[data-phase=playing]')) return false
    document.querySelector<HTMLButtonElement>('button[aria-label=Pause]')?.click()
    return true
  }, seconds)
  await page.locator('[data-phase=paused]').waitFor()
}

/** Waits for the announcement of the next video, which is shown for three seconds only. */
export async function waitForNextVideo(page: Page, video: number, count: number): Promise<void> {
  const texts = ['Next Video Starting...', `Video ${video} of ${count}`]
  await Promise.all(texts.map(text => waitForBriefText(page, text)))
}

import type { Page } from 'playwright-core'
import { waitForBriefText } from './browser.ts'

/**
 * Pauses when the clip has played for this long. The page itself presses the button: on a slow
 * machine the clip would play on for seconds before a click of the test arrives.
 */
export async function pauseAfter(page: Page, seconds: number): Promise<void> {
  await page.waitForFunction(played => {
    const video = document.querySelector('video')
    const button = document.querySelector<HTMLButtonElement>('button[aria-label=Pause]')
    // A clip that continues has its position before it plays.
    const isPlaying = document.querySelector('[data-phase=playing]') !== null
    if (!video || !button || !isPlaying || video.currentTime <= played) return false
    button.click()
    return true
  }, seconds)
  await page.locator('[data-phase=paused]').waitFor()
}

/** Waits for the announcement of the next video, which is shown for three seconds only. */
export async function waitForNextVideo(page: Page, video: number, count: number): Promise<void> {
  const texts = ['Next Video Starting...', `Video ${video} of ${count}`]
  await Promise.all(texts.map(text => waitForBriefText(page, text)))
}

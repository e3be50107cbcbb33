import { describe, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import type { Page } from 'playwright-core'
import { callApi } from '../src/api.ts'
import { signIn, visit } from '../src/browser.ts'
import { useProduct } from '../src/running-product.ts'

const conflict =
  'You are currently monitoring a playlist from another session. Please complete your current session first or wait 5 minutes before logging in again.'

const product = useProduct({ demo: true })

/** What the video element has really done. */
const picture = (page: Page) =>
  page.evaluate(() => {
    const video = document.querySelector('video')!
    const { webkitAudioDecodedByteCount: sound } = video as unknown as { webkitAudioDecodedByteCount: number }
    const { totalVideoFrames: frames } = video.getVideoPlaybackQuality()
    return { position: video.currentTime, paused: video.paused, frames, sound, width: video.videoWidth }
  })

async function playedPast(page: Page, seconds: number) {
  await page.waitForFunction(
    wanted => (document.querySelector('video')?.currentTime ?? 0) > wanted && !document.querySelector('video')!.paused,
    seconds,
  )
}

describe('a trainee of the demo', () => {
  test('watches three clips to the end, with picture and sound, and is congratulated', async () => {
    const { page, complaints, context } = await visit(product.browser)
    const seen: string[] = []
    await signIn(page, product.system.url, 'trainee11@demo.local')
    await page.getByRole('heading', { name: 'Today’s Task' }).waitFor()
    await page.getByText('Required').waitFor()
    await page.getByRole('button', { name: 'Start Monitoring Session' }).click()
    for (let clip = 1; clip <= 3; clip += 1) {
      await page.getByText(`${clip} / 3`).first().waitFor()
      await page.locator('[data-phase=playing]').waitFor()
      await playedPast(page, 2)
      const { frames, sound, width } = await picture(page)
      expect({ clip, frames: frames > 10, sound: sound > 1_000, width }).toEqual({
        clip,
        frames: true,
        sound: true,
        width: 640,
      })
      seen.push(await page.evaluate(() => document.querySelector('video')!.currentSrc.split('/').pop()!))
      if (clip < 3) {
        await page.getByText('Next Video Starting...').waitFor()
        await page.getByText(`Video ${clip + 1} of 3`).waitFor()
      }
    }
    const done = page.getByRole('alertdialog')
    await done.waitFor()
    expect(await done.textContent()).toMatch(/Congratulations[\s\S]*Welcome and safety[\s\S]*watch time/i)
    expect(new Set(seen).size).toBe(3)
    await done.getByRole('button').click()
    await page.getByRole('heading', { name: 'Today’s Task' }).waitFor()
    await eventually(async () =>
      expect(await callApi(page, 'GET', '/session/status')).toMatchObject({ is_monitoring: false, can_resume: false }),
    )
    expect(complaints).toEqual([])
    await context.close()
  })

  test('reloads in the middle and goes on where they were; a second sign-in meanwhile is refused with its reason', async () => {
    const { page, context } = await visit(product.browser)
    await signIn(page, product.system.url, 'trainee12@demo.local')
    await page.getByRole('button', { name: 'Start Monitoring Session' }).click()
    await playedPast(page, 4)

    const elsewhere = await visit(product.browser)
    await elsewhere.page.goto(`${product.system.url}/api/auth/signin?login_hint=trainee12@demo.local`)
    await elsewhere.page.getByText(conflict).waitFor()
    await elsewhere.page.waitForURL(`${product.system.url}/`)
    await elsewhere.context.close()

    const { position: before } = await picture(page)
    await page.reload()
    await page.getByText('Resuming from previous session - Your progress has been restored').waitFor()
    await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0)
    const { position: after } = await picture(page)
    expect(after).toBeGreaterThan(before - 10)
    expect(after).toBeGreaterThan(2)
    await context.close()
  })

  test('loses at most ten seconds when the server is killed in the middle and started again', async () => {
    const { page, context } = await visit(product.browser)
    await signIn(page, product.system.url, 'trainee17@demo.local')
    await page.getByRole('button', { name: 'Start Monitoring Session' }).click()
    await playedPast(page, 6)
    const { position: before } = await picture(page)
    await product.system.kill()
    // Before the restart, however long that takes: an open page would play on, into the next clip.
    const again = await context.newPage()
    await page.close()
    await product.system.restart()

    // Somebody who comes back with the same browser, still signed in.
    await again.goto(`${product.system.url}/dashboard`)
    await again.getByRole('button', { name: /Monitoring Session/ }).click()
    await again.locator('[data-banner=resumed], [data-phase=playing]').first().waitFor()
    const status = await callApi(again, 'GET', '/session/status')
    expect(status.video_progress).toBeGreaterThan(before - 10)
    expect(status.current_video_index).toBe(0)
    await context.close()
  })

  test('who starts in a second browser takes over, and the first one says so', async () => {
    const first = await visit(product.browser)
    await signIn(first.page, product.system.url, 'trainee18@demo.local')
    const second = await visit(product.browser)
    await signIn(second.page, product.system.url, 'trainee18@demo.local')

    await first.page.getByRole('button', { name: 'Start Monitoring Session' }).click()
    await playedPast(first.page, 1)
    await second.page.getByRole('button', { name: /Monitoring Session/ }).click()
    await second.page.getByRole('button', { name: 'Continue here' }).click()
    await second.page.locator('[data-phase=playing]').waitFor()
    // The first hears of it with its next sign of life: here, when it goes on after a pause.
    await first.page.locator('[data-phase=elsewhere]').waitFor()
    expect((await picture(first.page)).paused).toBe(true)
    await first.context.close()
    await second.context.close()
  })

  test('on the session’s screen the context menu and the keys that would leave it do nothing', async () => {
    const { page, context } = await visit(product.browser)
    await signIn(page, product.system.url, 'trainee23@demo.local')
    await page.getByRole('button', { name: 'Start Monitoring Session' }).click()
    await page.locator('[data-phase=playing]').waitFor()
    const prevented = await page.evaluate(() => {
      const press = (init: KeyboardEventInit) =>
        !document.body.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init }))
      const menu = !document.body.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }))
      const control = ['w', 't', 'n', 'r'].map(key => press({ key, ctrlKey: true }))
      return [menu, press({ key: 'F5' }), press({ key: 'F11' }), ...control, press({ key: 'a' })]
    })
    expect(prevented).toEqual([true, true, true, true, true, true, true, false])
    await context.close()
  })
})

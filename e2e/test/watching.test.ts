import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import type { Page } from 'playwright-core'
import { nameOf } from '../../tools/src/demo/people.ts'
import { callApi } from '../src/api.ts'
import { signIn, startVisit, waitForBriefText } from '../src/browser.ts'
import { pauseAfter, waitForNextVideo } from '../src/playback.ts'
import { useProduct } from '../src/running-product.ts'

const conflict =
  'You are currently monitoring a playlist from another session. Please complete your current session first or wait 5 minutes before logging in again.'

const iframeApi = readFileSync(new URL('../src/fake-iframe-api.js', import.meta.url), 'utf8')

const product = useProduct({ demo: true })

/** The real state of the video element. */
const readPlayback = (page: Page) =>
  page.evaluate(() => {
    const video = document.querySelector('video')!
    const { webkitAudioDecodedByteCount: soundBytes } = video as unknown as { webkitAudioDecodedByteCount: number }
    const { totalVideoFrames: frames } = video.getVideoPlaybackQuality()
    const { currentTime: position, currentSrc: file, videoWidth: width, paused } = video
    return { position, file, paused, frames, soundBytes, width }
  })

const fileOf = ({ file }: { file: string }) => new URL(file).pathname.split('/').at(-1)

async function waitForPosition(page: Page, seconds: number) {
  await page.waitForFunction(
    position =>
      (document.querySelector('video')?.currentTime ?? 0) > position && !document.querySelector('video')!.paused,
    seconds,
  )
}

/** Moves the mouse over the slider, which shows the picture of that second, and away. */
async function showPreview(page: Page) {
  await page.getByRole('slider', { name: 'Position in the video' }).hover()
  await page.locator('video[data-ready]').waitFor()
  await page.mouse.move(0, 0)
}

const week = 7 * 24 * 3600_000

/** The supervisor assigns the playlist of the demo again: due in a week, and under conditions. */
async function assignUnderConditions(account: string) {
  const { page, pageErrors, context } = await startVisit(product.browser)
  await signIn(page, product.system.url, 'supervisor2@demo.local')
  const [{ id, title }] = await callApi(page, 'GET', '/supervisor/tasks')
  const { members } = await callApi(page, 'GET', '/engagement/team')
  const { user_id } = members.find(({ name }: { name: string }) => name === nameOf(account))
  await callApi(page, 'DELETE', `/playlists/${id}/assign`, { assigned_users: [user_id] })

  await page.getByRole('button', { name: 'Tasks Menu' }).click()
  await page.getByRole('button', { name: `Assign: ${title}` }).click()
  const dialog = page.getByRole('dialog', { name: /^Assign / })
  await dialog.getByRole('checkbox', { name: new RegExp(nameOf(account)) }).check()
  await dialog.getByLabel('Due date').fill(`${new Date(Date.now() + week).toISOString().slice(0, 10)}T17:00`)
  await dialog.getByText('More terms').click()
  await dialog.getByLabel('Required percentage').fill('95')
  await dialog.getByLabel('Days of grace').fill('3')
  await dialog.getByRole('button', { name: 'Assign to 1 person' }).click()
  await page.getByText('Task assigned to 1 team member(s) successfully!').waitFor()
  expect(pageErrors).toEqual([])
  await context.close()
}

/** Somebody who is not signed in enters the code of a document. */
async function verifyCode(code: string): Promise<string | null> {
  const { page, pageErrors, context } = await startVisit(product.browser)
  await page.goto(`${product.system.url}/verify`)
  await page.getByLabel('Code on the document').fill(code)
  await page.getByRole('button', { name: 'Verify' }).click()
  const verdict = page.getByRole('region', { name: 'Genuine', exact: true })
  const text = await verdict.textContent()
  expect(pageErrors).toEqual([])
  await context.close()
  return text
}

describe('a trainee of the demo', () => {
  test('gets a task with terms, watches its three clips to the end, and has a certificate that is genuine', async () => {
    await assignUnderConditions('trainee11')
    const { page, pageErrors, context } = await startVisit(product.browser)
    const playedFiles: string[] = []
    await signIn(page, product.system.url, 'trainee11@demo.local')
    await page.getByRole('heading', { name: 'Today’s Task' }).waitFor()
    await page.getByText('Required').waitFor()
    const task = page.getByRole('article', { name: 'Welcome and safety' })
    for (const text of [/^Due .* 17:00/, '95% needed', 'can be finished up to 3 days late'])
      await task.getByText(text).waitFor()
    await page.getByRole('button', { name: 'Start Monitoring Session' }).click()
    for (let clip = 1; clip <= 3; clip += 1) {
      await page.getByText(`${clip} / 3`).first().waitFor()
      await page.locator('[data-phase=playing]').waitFor()
      await waitForPosition(page, 2)
      const { file, frames, soundBytes, width } = await readPlayback(page)
      playedFiles.push(file)
      expect({ clip, frames: frames > 10, sound: soundBytes > 1_000, width }).toEqual({
        clip,
        frames: true,
        sound: true,
        width: 640,
      })
      await Promise.all([clip < 3 && waitForNextVideo(page, clip + 1, 3), clip === 1 && showPreview(page)])
    }
    const congratulation = page.getByRole('alertdialog')
    await congratulation.getByText('Congratulations!').waitFor()
    expect(await congratulation.textContent()).toMatch(/Congratulations[\s\S]*Welcome and safety[\s\S]*watch time/i)
    expect(new Set(playedFiles).size).toBe(3)
    await congratulation.getByRole('button').click()
    await page.getByRole('heading', { name: 'Today’s Task' }).waitFor()
    await eventually(async () =>
      expect(await callApi(page, 'GET', '/session/status')).toMatchObject({ is_monitoring: false, can_resume: false }),
    )

    await page.goto(`${product.system.url}/dashboard?page=record`)
    await page.getByText('Terms: 95% needed, can be finished up to 3 days late').waitFor()
    const [issued, file] = await Promise.all([
      page.waitForResponse(response => response.url().endsWith('/certificates')),
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Certificate: Welcome and safety' }).click(),
    ])
    const { code, number } = await issued.json()
    expect(file.suggestedFilename()).toBe(`certificate-${number}.pdf`)
    expect(readFileSync(await file.path(), 'latin1')).toMatch(/^%PDF-1\.7/)
    const verdict = await verifyCode(code)
    expect(verdict).toContain(nameOf('trainee11'))
    expect(verdict).toContain('Welcome and safety')
    expect(pageErrors).toEqual([])
    // The page refuses markup and foreign scripts, in whichever code a hole would be.
    const refusals = await page.evaluate(() => {
      const isRefused = (write: () => unknown) => {
        try {
          write()
          return false
        } catch (error) {
          return error instanceof TypeError
        }
      }
      const script = document.createElement('script')
      return {
        markup: isRefused(() => Object.assign(document.createElement('p'), { innerHTML: '<b>bold</b>' })),
        foreignScript: isRefused(() => Object.assign(script, { src: 'https://example.org/x.js' })),
        scriptText: isRefused(() => Object.assign(script, { text: 'void 0' })),
        furtherPolicy: isRefused(() => Object(globalThis).trustedTypes.createPolicy('another', {})),
      }
    })
    expect(refusals).toEqual({ markup: true, foreignScript: true, scriptText: true, furtherPolicy: true })
    await context.close()
  })

  test('resumes at their position after a reload; a second sign-in is refused with its reason', async () => {
    const { page, context } = await startVisit(product.browser)
    await signIn(page, product.system.url, 'trainee12@demo.local')
    await page.getByRole('button', { name: 'Start Monitoring Session' }).click()
    // A pause saves the position at once, however slow the machine is.
    await pauseAfter(page, 4)
    await eventually(async () =>
      expect((await callApi(page, 'GET', '/session/status')).video_progress).toBeGreaterThan(2),
    )
    await page.getByRole('button', { name: 'Play', exact: true }).click()
    await page.locator('[data-phase=playing]').waitFor()
    // The banner is shown for a few seconds only.
    const banner = 'Resuming from previous session - Your progress has been restored'
    await Promise.all([waitForBriefText(page, banner), page.reload()])
    await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0)
    expect((await readPlayback(page)).position).toBeGreaterThan(2)

    await page.locator('[data-phase=playing]').waitFor()
    const second = await startVisit(product.browser)
    // The reason is shown for a few seconds only.
    await Promise.all([
      waitForBriefText(second.page, conflict),
      second.page.goto(`${product.system.url}/api/auth/signin?login_hint=trainee12@demo.local`),
    ])
    await second.page.waitForURL(`${product.system.url}/`)
    await second.context.close()
    await context.close()
  })

  test('loses at most ten seconds when the server is killed and restarted', async () => {
    const { page, context } = await startVisit(product.browser)
    await signIn(page, product.system.url, 'trainee17@demo.local')
    await page.getByRole('button', { name: 'Start Monitoring Session' }).click()
    // A pause saves the position at once. Otherwise the loss would grow on a slow machine.
    await pauseAfter(page, 6)
    const { position: before } = await readPlayback(page)
    const saved = await eventually(async () => {
      const { video_progress } = await callApi(page, 'GET', '/session/status')
      expect(video_progress).toBeGreaterThan(5)
      return video_progress
    })
    await product.system.kill()
    // The page is closed before the restart, because it would play on into the next clip.
    const newPage = await context.newPage()
    await page.close()
    await product.system.restart()

    // The trainee comes back with the same browser, still signed in.
    await newPage.goto(`${product.system.url}/dashboard`)
    await newPage.getByRole('button', { name: /Start Monitoring Session|Continue with/ }).click()
    await newPage.locator('[data-banner=resumed], [data-phase=playing]').first().waitFor()
    const status = await callApi(newPage, 'GET', '/session/status')
    expect(status.video_progress).toBeGreaterThanOrEqual(saved)
    expect(status.video_progress).toBeGreaterThan(before - 10)
    expect(status.current_video_index).toBe(0)
    await context.close()
  })

  test('sees offline what this device has saved, and loses none of it', async () => {
    const { page, context } = await startVisit(product.browser, { serviceWorkers: 'allow' })
    await signIn(page, product.system.url, 'trainee19@demo.local')
    await page.getByRole('button', { name: 'Start Monitoring Session' }).click()
    await waitForPosition(page, 1)
    await page.evaluate(() => navigator.serviceWorker.ready)
    const storedPaths = await page.evaluate(async () => {
      const stored = await Promise.all((await caches.keys()).map(async name => (await caches.open(name)).keys()))
      return stored.flat().map(({ url }) => new URL(url).pathname)
    })
    expect(storedPaths).toContain('/offline.html')
    expect(storedPaths.filter(path => path !== '/offline.html' && !path.startsWith('/assets/'))).toEqual([])

    await context.setOffline(true)
    await page.getByLabel(/Comment at:/).fill('Written in a tunnel')
    // A reload as soon as the comment is in the list leaves no time to store it afterwards.
    await page.evaluate(() => {
      new MutationObserver(() => {
        const texts = [...document.querySelectorAll('li')].map(item => item.textContent)
        if (texts.some(text => text.includes('Written in a tunnel'))) window.location.reload()
      }).observe(document.body, { childList: true, subtree: true })
    })
    await page.getByLabel(/Comment at:/).press('Control+Enter')
    await page.getByText('Watchline cannot be reached').waitFor()
    await page.getByRole('listitem').filter({ hasText: '1 comment' }).waitFor()

    await context.setOffline(false)
    await page.locator('[data-phase]').waitFor()
    const playlistId = new URL(page.url()).searchParams.get('session')
    await eventually(async () => {
      const { videos } = await callApi(page, 'GET', `/playlists/${playlistId}`)
      const comments = await callApi(page, 'GET', `/comments/${playlistId}/${encodeURIComponent(videos[0].id)}`)
      expect(JSON.stringify(comments)).toContain('Written in a tunnel')
    })
    await context.close()
  })

  test('takes over in a second browser, then in a second window, and the first one says so', async () => {
    const first = await startVisit(product.browser)
    await signIn(first.page, product.system.url, 'trainee18@demo.local')
    const second = await startVisit(product.browser)
    await signIn(second.page, product.system.url, 'trainee18@demo.local')

    await first.page.getByRole('button', { name: 'Start Monitoring Session' }).click()
    await waitForPosition(first.page, 1)
    await second.page.getByRole('button', { name: /Start Monitoring Session|Continue with/ }).click()
    await second.page.getByRole('button', { name: 'Continue here' }).click()
    await second.page.locator('[data-phase=playing]').waitFor()
    // The first browser learns it from the answer to its next heartbeat or save.
    await first.page.locator('[data-phase=elsewhere]').waitFor()
    const stopped = await readPlayback(first.page)
    expect(stopped.paused).toBe(true)

    // The first one goes on where the second one has watched to, not at its own old position.
    await second.page.getByRole('button', { name: 'Skip to next video' }).click()
    await eventually(async () => expect(fileOf(await readPlayback(second.page))).not.toBe(fileOf(stopped)))
    await second.page.waitForResponse(
      response =>
        response.url().endsWith('/session/save-progress') &&
        response.ok() &&
        response.request().postDataJSON().video_index === 1,
    )
    await first.page.getByRole('button', { name: 'Continue here' }).click()
    await second.page.locator('[data-phase=elsewhere]').waitFor()
    await first.page.locator('[data-phase=playing]').waitFor()
    expect(fileOf(await readPlayback(first.page))).toBe(fileOf(await readPlayback(second.page)))
    await second.context.close()

    // Another window of the same browser has the same login session.
    const window = await first.context.newPage()
    await window.goto(first.page.url())
    await window.getByRole('button', { name: 'Continue here' }).click()
    await first.page.locator('[data-phase=elsewhere]').waitFor()
    const { position } = await readPlayback(first.page)
    await window.locator('[data-phase=playing]').waitFor()
    expect((await readPlayback(window)).position).toBeGreaterThan(position - 1)
    expect((await readPlayback(first.page)).paused).toBe(true)
    await first.context.close()
  })

  test('plays in one window at a time without Web Locks, too, as on a page without HTTPS', async () => {
    const { page, context } = await startVisit(product.browser)
    await context.addInitScript(() => Object.defineProperty(navigator, 'locks', { value: undefined }))
    await signIn(page, product.system.url, 'trainee16@demo.local')
    await page.getByRole('button', { name: /Start Monitoring Session|Continue with/ }).click()
    await page.locator('[data-phase=playing]').waitFor()
    const window = await context.newPage()
    await window.goto(page.url())
    await window.getByRole('button', { name: 'Continue here' }).click()
    await page.locator('[data-phase=elsewhere]').waitFor()
    await window.locator('[data-phase=playing]').waitFor()
    expect((await readPlayback(page)).paused).toBe(true)
    await context.close()
  })

  test('cannot leave the session’s screen by the context menu or by keys', async () => {
    const { page, context } = await startVisit(product.browser)
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

describe('a YouTube playlist', () => {
  test('plays through, with an unreported end and a video that cannot be embedded', async () => {
    const supervisor = await startVisit(product.browser)
    await signIn(supervisor.page, product.system.url, 'supervisor4@demo.local')
    const video = (id: string) => ({ provider: 'youtube', id, title: `Film ${id}`, duration: 6 })
    const playlist = await callApi(supervisor.page, 'POST', '/playlists', {
      title: 'From YouTube',
      videos: [video('aaaaaaaaaaa'), video('blocked-one'), video('ccccccccccc')],
    })
    const team = await callApi(supervisor.page, 'GET', '/users')
    const member = team.find((person: { email: string }) => person.email === 'trainee24@demo.local')
    await callApi(supervisor.page, 'PUT', `/playlists/${playlist.id}/assign`, { assigned_users: [member.id] })
    await supervisor.context.close()

    const { page, context, pageErrors } = await startVisit(product.browser)
    await context.route('https://www.youtube.com/iframe_api', route =>
      route.fulfill({ contentType: 'text/javascript', body: iframeApi }),
    )
    await signIn(page, product.system.url, 'trainee24@demo.local')
    await page.getByText('From YouTube').first().waitFor()
    await page.getByRole('button', { name: 'Start Monitoring Session' }).click()
    await page.locator('[data-phase=playing]').waitFor()

    type FakeYouTube = { options: { host: string; playerVars: Record<string, unknown> } }
    const { host, playerVars } = await page.evaluate(
      () => (globalThis as unknown as { fakeYouTube: FakeYouTube }).fakeYouTube.options,
    )
    expect(host).toBe('https://www.youtube-nocookie.com')
    expect(playerVars).toMatchObject({ controls: 0, disablekb: 1, fs: 0, rel: 0, playsinline: 1 })

    // YouTube's terms forbid overlays on its player.
    const coveredPoints = await page.evaluate(() => {
      const frame = document.querySelector('iframe')!
      const { left, top, width, height } = frame.getBoundingClientRect()
      const points = [0.05, 0.5, 0.95].flatMap(x => [0.05, 0.5, 0.95].map(y => [left + width * x, top + height * y]))
      return points.filter(([x, y]) => document.elementFromPoint(x!, y!) !== frame)
    })
    expect(coveredPoints).toEqual([])

    await page.getByText('2 / 3').or(page.getByText('Video 2 of 3')).first().waitFor()
    // The last video plays for a few seconds only.
    await page.waitForFunction(() => document.querySelector('[data-phase=playing]')?.textContent.includes('3 / 3'))
    await page.getByRole('alertdialog').waitFor()
    expect(await page.getByRole('alertdialog').textContent()).toContain('From YouTube')
    expect(pageErrors).toEqual([])
    await context.close()
  })
})

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { PlaylistWatch } from '@watchline/contracts/engagement'
import { eventually } from '@watchline/testing/harness'
import type { BrowserContext, Page } from 'playwright-core'
import { demoAdmin, nameOf } from '../../tools/src/demo/people.ts'
import { provisionPdftotext } from '../../tools/src/provision/system-packages.ts'
import { callApi } from '../src/api.ts'
import { signIn, startVisit, waitForBriefText } from '../src/browser.ts'
import { pauseAfter, waitForNextVideo } from '../src/playback.ts'
import { useProduct } from '../src/running-product.ts'

const product = useProduct({ demo: true })

const bell = (page: Page, name: RegExp) => page.getByRole('button', { name })

/** Counts the tones that the page plays. */
async function recordTones(context: BrowserContext) {
  await context.addInitScript(() => {
    const counters = globalThis as unknown as { tones: number }
    counters.tones = 0
    const { start } = OscillatorNode.prototype
    OscillatorNode.prototype.start = function (...args) {
      counters.tones += 1
      return start.apply(this, args)
    }
  })
}
const countTones = (page: Page) => page.evaluate(() => (globalThis as unknown as { tones: number }).tones)

async function signInAs(email: string, prepare?: (context: BrowserContext) => Promise<unknown>) {
  const visit = await startVisit(product.browser)
  await prepare?.(visit.context)
  await signIn(visit.page, product.system.url, email)
  return visit
}

async function startMonitoring(page: Page) {
  await page.getByRole('button', { name: /Start Monitoring Session|Continue with/ }).click()
  await page.locator('[data-phase=playing]').waitFor()
}

async function writeComment(page: Page, text: string) {
  await page.getByLabel(/Comment at:/).fill(text)
  await page.getByLabel(/Comment at:/).press('Control+Enter')
  await page.getByText(text).first().waitFor()
}

test('a comment rings at the supervisor, who approves it with a reply and jumps to its second; the trainee reads the reply', async () => {
  const supervisor = await signInAs('supervisor1@demo.local', recordTones)
  const trainee = await signInAs('trainee1@demo.local')
  await bell(supervisor.page, /^Notifications, \d+ unread$/).waitFor()
  await supervisor.page.getByRole('heading', { level: 1 }).click()

  await startMonitoring(trainee.page)
  await pauseAfter(trainee.page, 2)
  await writeComment(trainee.page, 'Where is the second exit?')
  await bell(supervisor.page, /^Notifications, \d+ unread, 1 to review/).waitFor()
  await eventually(async () => expect(await countTones(supervisor.page)).toBe(2))

  await bell(supervisor.page, /^Notifications/).click()
  const menu = supervisor.page.getByRole('dialog').filter({ hasText: 'Notifications' })
  await menu.getByText('Where is the second exit?').waitFor()
  await menu.getByRole('button', { name: /^Add a reply/ }).click()
  await menu.getByLabel(`Your reply to ${nameOf('trainee1')}`).fill('Behind the stairs. Well asked.')
  // The banner is shown for a few seconds only.
  const [banner] = await Promise.all([
    supervisor.page.waitForFunction(() => document.querySelector('[data-banner=approved]')?.textContent),
    menu.getByRole('button', { name: /^Approve with reply/ }).click(),
  ])
  const from = /Starting at 0:0(\d)/.exec((await banner.jsonValue()) ?? '')
  expect(Number(from?.[1])).toBeGreaterThanOrEqual(2)
  await supervisor.page.locator('[data-phase=playing]').waitFor()
  expect(new URL(supervisor.page.url()).searchParams.get('action')).toBe('approved')

  await bell(trainee.page, /^Notifications, [1-9]\d* unread/).click()
  const notifications = trainee.page.getByRole('dialog').filter({ hasText: 'Notifications' })
  await notifications.getByText('Behind the stairs. Well asked.').waitFor()

  await supervisor.page.getByRole('button', { name: 'Exit' }).first().click()
  await supervisor.page.getByRole('heading', { name: 'Supervisor Dashboard' }).waitFor()
  for (const { pageErrors, context } of [supervisor, trainee]) {
    expect(pageErrors).toEqual([])
    await context.close()
  }
})

test('supervisors see beside their player who starts and stops', async () => {
  const supervisor = await signInAs('supervisor1@demo.local')
  await supervisor.page.getByRole('button', { name: 'Tasks Menu' }).click()
  await supervisor.page
    .getByRole('button', { name: /^Start Task/ })
    .first()
    .click()
  const team = supervisor.page.getByRole('region', { name: /team/i }).first()
  const row = team.getByRole('listitem').filter({ hasText: nameOf('trainee2') })
  await row.waitFor()
  // Only the list is needed from here on, and a clip that plays takes processor time.
  await pauseAfter(supervisor.page, 1)

  const trainee = await signInAs('trainee2@demo.local')
  await eventually(async () => expect(await row.textContent()).toMatch(/active/i))
  await startMonitoring(trainee.page)
  await eventually(async () => expect(await row.textContent()).toMatch(/monitoring/i))
  await trainee.page.getByRole('button', { name: 'Back to Dashboard' }).click()
  await eventually(async () => expect(await row.textContent()).toMatch(/active/i))

  await supervisor.page.getByRole('button', { name: 'Exit' }).first().click()
  await supervisor.page.getByRole('heading', { name: 'Supervisor Dashboard' }).waitFor()
  for (const { pageErrors, context } of [supervisor, trainee]) {
    expect(pageErrors).toEqual([])
    await context.close()
  }
})

test('a trainee who is deactivated while watching is stopped at once, and a page says why', async () => {
  const supervisor = await signInAs('supervisor1@demo.local')
  const trainee = await signInAs('trainee4@demo.local')
  await startMonitoring(trainee.page)
  const member = supervisor.page.getByRole('row').filter({ hasText: 'trainee4@demo.local' })
  await eventually(async () => expect(await member.first().textContent()).toMatch(/monitoring/i))

  const admin = await startVisit(product.browser)
  await admin.page.goto(product.system.url)
  await admin.page.getByRole('button', { name: 'Admin Access' }).click()
  await admin.page.getByLabel(/email/i).fill(demoAdmin.email)
  await admin.page.getByLabel('Password', { exact: true }).fill(demoAdmin.password)
  await admin.page.getByLabel('Password', { exact: true }).press('Enter')
  await admin.page.getByRole('tab', { name: 'All Users' }).click()
  await admin.page.getByRole('button', { name: `Manage ${nameOf('trainee4')}` }).click()
  await admin.page.getByRole('button', { name: 'Deactivate…' }).click()
  await admin.page.getByRole('button', { name: 'Deactivate', exact: true }).click()
  await admin.page.getByText(`${nameOf('trainee4')} is deactivated`).waitFor()

  await trainee.page.getByText('Your account is deactivated. Ask your administrator.').waitFor()
  expect(await trainee.page.locator('video').count()).toBe(0)
  const waitForDeactivatedPage = (page: Page) => page.getByRole('heading', { name: 'Account deactivated' }).waitFor()
  await trainee.page.reload()
  await waitForDeactivatedPage(trainee.page)
  const tab = await trainee.context.newPage()
  for (const path of ['/dashboard', '/']) {
    await tab.goto(product.system.url + path)
    await waitForDeactivatedPage(tab)
  }
  await trainee.page.goto(`${product.system.url}/api/auth/signin?login_hint=trainee4@demo.local`)
  await waitForDeactivatedPage(trainee.page)
  await trainee.page.reload()
  await waitForDeactivatedPage(trainee.page)
  await trainee.page.getByRole('button', { name: 'Sign in again' }).click()
  await trainee.page.getByRole('link', { name: /^Sign in with/ }).waitFor()
  await tab.goto(product.system.url)
  await tab.getByRole('link', { name: /^Sign in with/ }).waitFor()
  await eventually(async () => expect(await member.count()).toBe(0))

  for (const { pageErrors, context } of [supervisor, trainee, admin]) {
    expect(pageErrors).toEqual([])
    await context.close()
  }
})

test('without the live stream everything still arrives by polling', async () => {
  const supervisor = await signInAs('supervisor1@demo.local', context =>
    context.route('**/api/stream*', route => route.abort()),
  )
  const trainee = await signInAs('trainee3@demo.local')
  await startMonitoring(trainee.page)
  await eventually(async () =>
    expect(await supervisor.page.getByRole('row').filter({ hasText: 'trainee3@demo.local' }).textContent()).toMatch(
      /monitoring/i,
    ),
  )
  await writeComment(trainee.page, 'What if the lift is stuck?')
  await bell(supervisor.page, /1 to review/).waitFor()
  await supervisor.context.close()
  await trainee.context.close()
})

const waitForClip = (page: Page, clip: number) => page.getByText(`${clip} / 3`).first().waitFor()

async function readWatch(page: Page): Promise<PlaylistWatch> {
  const { id } = await callApi(page, 'GET', '/playlists/today')
  return callApi(page, 'GET', `/engagement/watched/${id}`)
}

describe('credited watch time', () => {
  test('honest watching is credited in full, skipping is not, and both sides see the same', async () => {
    const { page, context, pageErrors } = await startVisit(product.browser)
    await signIn(page, product.system.url, 'trainee13@demo.local')
    await page.getByRole('button', { name: 'Start Monitoring Session' }).click()

    // The first clip is watched to its end.
    await waitForClip(page, 1)
    await waitForNextVideo(page, 2, 3)
    await eventually(async () => {
      const [first] = (await readWatch(page)).videos
      expect(first).toMatchObject({ completed: true, notes: [] })
      expect(first!.completion_rate).toBeGreaterThanOrEqual(99)
    })

    // In the second clip the trainee jumps over the middle.
    await waitForClip(page, 2)
    await pauseAfter(page, 2)
    const slider = page.getByRole('slider', { name: 'Position in the video' })
    await slider.focus()
    await slider.press('End')
    // At its very end a clip would begin again.
    await slider.press('ArrowLeft')
    await page.getByRole('button', { name: 'Play', exact: true }).click()
    await waitForClip(page, 3)
    const skipped = await eventually(async () => {
      const second = (await readWatch(page)).videos[1]!
      expect(second.watched.length).toBeGreaterThan(0)
      return second
    })
    expect(skipped.completed).toBe(false)
    expect(skipped.completion_rate).toBeLessThan(50)
    expect(skipped.missing.length).toBeGreaterThan(0)
    expect(skipped.notes).toMatchObject([{ code: 'skipped', times: 1 }])

    // During the third clip the network is down for a while. Nothing is missing or doubled.
    await page.waitForFunction(() => {
      const video = document.querySelector('video')
      return video && video.currentTime > 1 && video.buffered.length > 0 && video.buffered.end(0) > video.duration - 0.5
    })
    await context.setOffline(true)
    await page.getByText('You are offline. Nothing is lost', { exact: false }).first().waitFor()
    // The player continues from its buffer, almost to the end.
    await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 10)
    await context.setOffline(false)
    await page.getByRole('alertdialog').waitFor()
    const third = await eventually(async () => {
      const watch = (await readWatch(page)).videos[2]!
      expect(watch.completed).toBe(true)
      return watch
    })
    expect(third.completion_rate).toBeGreaterThanOrEqual(99)
    expect(third.watch_time).toBeLessThanOrEqual(third.duration + 1)

    // The supervisor sees the same numbers and ranges.
    const supervisor = await startVisit(product.browser)
    await signIn(supervisor.page, product.system.url, 'supervisor3@demo.local')
    const ownWatch = await readWatch(page)
    const team = await callApi(supervisor.page, 'GET', '/engagement/team')
    const member = team.members.find((person: { email: string }) => person.email === 'trainee13@demo.local')
    const detail = await callApi(supervisor.page, 'GET', `/engagement/members/${member.user_id}`)
    const memberWatch = detail.playlists.find((watch: PlaylistWatch) => watch.playlist_id === ownWatch.playlist_id)
    expect(memberWatch.videos).toEqual(ownWatch.videos)
    expect(member).toMatchObject({ completed_videos: 2, total_videos: 3 })

    await supervisor.page.getByRole('tab', { name: 'Engagement' }).click()
    await supervisor.page
      .getByRole('button', { name: nameOf('trainee13') })
      .first()
      .click()
    const panel = supervisor.page.getByRole('dialog')
    await panel.getByText('Customer conversations').first().waitFor()
    await panel
      .getByText(/missing \d+:\d\d to \d+:\d\d/i)
      .first()
      .waitFor()
    expect([...pageErrors, ...supervisor.pageErrors]).toEqual([])
    await context.close()
    await supervisor.context.close()
  })

  test('a comment is plain text, and the supervisor reads it at its second', async () => {
    const { page, context, pageErrors } = await startVisit(product.browser)
    await signIn(page, product.system.url, 'trainee14@demo.local')
    await page.getByRole('button', { name: 'Start Monitoring Session' }).click()
    await pauseAfter(page, 2)
    await page.getByText('No comments yet').filter({ visible: true }).first().waitFor()
    const text = 'Is this <img src=x onerror=alert(1)> right?\nSecond line'
    const field = page.getByLabel(/Comment at:/)
    await field.fill(text)
    await Promise.all([waitForBriefText(page, '✓ Sent'), field.press('Control+Enter')])
    await page.getByText(nameOf('trainee14')).filter({ visible: true }).nth(1).waitFor()
    expect(await page.locator('img[src="x"]').count()).toBe(0)

    const supervisor = await startVisit(product.browser)
    await signIn(supervisor.page, product.system.url, 'supervisor3@demo.local')
    await supervisor.page.getByRole('button', { name: 'Tasks Menu' }).click()
    await supervisor.page
      .getByRole('button', { name: /^Start Task/ })
      .first()
      .click()
    await supervisor.page.getByText('Is this <img src=x onerror=alert(1)> right?').waitFor()
    const colleague = await startVisit(product.browser)
    await signIn(colleague.page, product.system.url, 'trainee6@demo.local')
    const { id } = await callApi(page, 'GET', '/playlists/today')
    await expect(callApi(colleague.page, 'GET', `/comments/${id}/opening-well`)).rejects.toThrow('404')
    expect([...pageErrors, ...supervisor.pageErrors]).toEqual([])
    for (const opened of [context, supervisor.context, colleague.context]) await opened.close()
  })

  test('a task without skipping ahead refuses a seek to the end and a later video, and says why', async () => {
    const supervisor = await startVisit(product.browser)
    await signIn(supervisor.page, product.system.url, 'supervisor4@demo.local')
    const { page, context, pageErrors } = await startVisit(product.browser)
    await signIn(page, product.system.url, 'trainee22@demo.local')
    const [{ id }, { id: userId }] = [
      await callApi(page, 'GET', '/playlists/today'),
      await callApi(page, 'GET', '/auth/profile'),
    ]
    await callApi(supervisor.page, 'DELETE', `/playlists/${id}/assign`, { assigned_users: [userId] })
    const conditions = { allow_skipping: false }
    await callApi(supervisor.page, 'PUT', `/playlists/${id}/assign`, { assigned_users: [userId], conditions })

    await page.getByText('no skipping ahead').first().waitFor()
    await page.getByRole('button', { name: 'Start Monitoring Session' }).click()
    await pauseAfter(page, 2)
    const slider = page.getByRole('slider', { name: 'Position in the video' })
    await slider.focus()
    await slider.press('End')
    await page.getByRole('status').getByText('Skipping ahead is off for this task.', { exact: true }).waitFor()
    const { position, duration } = await page.evaluate(() => {
      const video = document.querySelector('video')!
      return { position: video.currentTime, duration: video.duration }
    })
    expect(position).toBeLessThan(duration - 2)
    await page.getByRole('button', { name: 'Skip to next video' }).click()
    await page.getByText('Finish the videos before this one first.', { exact: false }).waitFor()
    await waitForClip(page, 1)
    expect([...pageErrors, ...supervisor.pageErrors]).toEqual([])
    await context.close()
    await supervisor.context.close()
  })
})

let pdftotext: string
beforeAll(async () => {
  pdftotext = await provisionPdftotext(console.log)
})

/** The text of the pages that the browser prints now. */
async function printToText(page: Page): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'watchline-print-'))
  try {
    const path = join(folder, 'print.pdf')
    await page.pdf({ path, format: 'A4' })
    const { stdout } = await promisify(execFile)(pdftotext, [path, '-'])
    return stdout.normalize('NFC')
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('a supervisor prints a report, saves it, and its link opens it', async () => {
  const { page, context, pageErrors } = await startVisit(product.browser)
  // The team fits one page, so the test asks for pages of two rows. A print must still have all
  // rows.
  const pageRows = /(?<=[?&]limit=)100(?=&|$)/
  await context.route(
    url => url.pathname.endsWith('/engagement/report') && pageRows.test(url.search),
    route => route.continue({ url: route.request().url().replace(pageRows, '2') }),
  )
  // The dialog of the browser does not open without a window.
  await context.addInitScript(() => {
    window.print = () => document.documentElement.setAttribute('data-print-dialog', '')
  })
  await signIn(page, product.system.url, 'supervisor4@demo.local')
  await page.getByRole('tab', { name: 'Engagement' }).click()
  await page.getByText('Reports', { exact: true }).click()
  const reports = page.getByRole('region', { name: 'Reports', exact: true })
  await reports.getByLabel('Rows', { exact: true }).selectOption('person')
  await reports.getByText('Rows 1 to 2 of 6.', { exact: false }).waitFor()
  await reports.getByRole('button', { name: 'Print', exact: true }).click()
  await page.locator('html[data-print-dialog]').waitFor()
  const printedText = await printToText(page)
  for (const name of ['Peñalver', 'Țurcanu', 'Friederike']) expect(printedText).toContain(name)
  expect(printedText).not.toMatch(/Rows 1 to|Download CSV/)
  await reports.getByText('Rows 1 to 2 of 6.', { exact: false }).waitFor()
  await context.unrouteAll()

  await reports.getByLabel('Tasks', { exact: true }).selectOption('open')
  await reports.getByRole('button', { name: 'Save this report…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save this report' })
  await dialog.getByLabel('Name').fill('Open tasks of my team')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The report “Open tasks of my team” is saved').waitFor()
  const link = await eventually(() => {
    expect(page.url()).toContain('report=')
    return page.url()
  })

  const opened = await context.newPage()
  await opened.goto(link)
  await opened.getByText('Tasks by person', { exact: true }).waitFor()
  await opened
    .getByRole('button', { name: 'Open tasks of my team', exact: true })
    .and(opened.locator('[aria-current]'))
    .waitFor()
  expect(await opened.getByLabel('Tasks', { exact: true }).inputValue()).toBe('open')
  await opened.getByRole('table').getByText(nameOf('trainee23')).waitFor()
  expect(pageErrors).toEqual([])
  await context.close()
})

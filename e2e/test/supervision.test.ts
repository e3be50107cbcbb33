import { expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import type { BrowserContext, Page } from 'playwright-core'
import { demoAdmin, nameOf } from '../../tools/src/demo/people.ts'
import { signIn, startVisit } from '../src/browser.ts'
import { pauseAfter } from '../src/playback.ts'
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
  const ended = (page: Page) => page.getByRole('heading', { name: 'Account deactivated' }).waitFor()
  await trainee.page.reload()
  await ended(trainee.page)
  const tab = await trainee.context.newPage()
  for (const path of ['/dashboard', '/']) {
    await tab.goto(product.system.url + path)
    await ended(tab)
  }
  await trainee.page.goto(`${product.system.url}/api/auth/signin?login_hint=trainee4@demo.local`)
  await ended(trainee.page)
  await trainee.page.reload()
  await ended(trainee.page)
  await trainee.page.getByRole('button', { name: 'Sign in with another account' }).click()
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

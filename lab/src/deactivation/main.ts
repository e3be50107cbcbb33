/*
 * Deactivates somebody who is watching, and measures the time from the administrator's click until
 * the video has stopped, in two real browsers. The person is reactivated afterwards.
 *
 * - BASE_URL: a demo that already runs; without it, a new one
 * - TRIES (10): one trainee each, at most 24
 *
 * Needs Chromium and, without BASE_URL, servers:
 * node tools/src/checks/with-servers.ts -- node lab/src/deactivation/main.ts
 */
import { callApi } from '../../../e2e/src/api.ts'
import { openChromium, signIn, startVisit } from '../../../e2e/src/browser.ts'
import { startSystem } from '../../../e2e/src/system.ts'
import { demoAdmin, emailOf, nameOf } from '../../../tools/src/demo/people.ts'
import { markdownTable } from '../shared/tables.ts'

type Page = Awaited<ReturnType<typeof startVisit>>['page']
type PageWithTimes = typeof globalThis & { clickedAt?: number; stoppedAt?: number }

const tries = Number(process.env.TRIES || 10)
const [system, browser] = await Promise.all([startSystem({ demo: true }), openChromium()])
const times: number[] = []
try {
  const { page: adminPage } = await startVisit(browser)
  await adminPage.goto(`${system.url}/admin`)
  await adminPage.getByLabel(/email/i).fill(demoAdmin.email)
  await adminPage.getByLabel('Password', { exact: true }).fill(demoAdmin.password)
  await adminPage.getByRole('button', { name: 'Sign in as Admin' }).click()
  await adminPage.getByRole('tab', { name: 'All Users' }).waitFor()
  for (let number = 1; number <= tries; number += 1) {
    const account = `trainee${number}`
    const { page, context } = await startVisit(browser)
    await startWatching(page, account)
    times.push(await deactivate(adminPage, page, account))
    await page.getByText('Your account is deactivated').waitFor()
    await restore(adminPage, account)
    await context.close()
    console.error(`${account}: ${times.at(-1)} ms`)
  }
} finally {
  await browser.close()
  await system.stop()
}
const sorted = times.toSorted((a, b) => a - b)
const median = (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2
console.log(markdownTable(['tries', 'min, ms', 'median, ms', 'max, ms'], [[tries, sorted[0]!, median, sorted.at(-1)!]]))

async function startWatching(page: Page, account: string): Promise<void> {
  await signIn(page, system.url, emailOf(account))
  const start = page.getByRole('button', { name: /^(Start Monitoring Session|Continue with|Watch Again)/ }).first()
  await start.click()
  const playing = page.locator('[data-phase=playing]')
  const agree = page.getByRole('button', { name: 'I agree' })
  await playing.or(agree).waitFor()
  if (await agree.isVisible()) await agree.click()
  await playing.waitFor()
  await page.evaluate(() => {
    const timer = setInterval(() => {
      const video = document.querySelector('video')
      if (video && !video.paused) return
      const times: PageWithTimes = globalThis
      times.stoppedAt = Date.now()
      clearInterval(timer)
    }, 5)
  })
}

/**
 * The milliseconds from the click until the video has stopped. Both pages use this computer's
 * clock.
 */
async function deactivate(adminPage: Page, page: Page, account: string): Promise<number> {
  await adminPage.goto(`${system.url}/admin?tab=users&search=${emailOf(account)}`)
  await adminPage
    .getByRole('button', { name: `Manage ${nameOf(account)}` })
    .filter({ visible: true })
    .first()
    .click()
  await adminPage.getByRole('button', { name: 'Deactivate…' }).click()
  const confirm = adminPage.getByRole('button', { name: 'Deactivate', exact: true })
  await confirm.evaluate(button =>
    button.addEventListener('click', () => {
      const times: PageWithTimes = globalThis
      times.clickedAt = Date.now()
    }),
  )
  await confirm.click()
  await page.waitForFunction(() => (globalThis as PageWithTimes).stoppedAt !== undefined)
  const stoppedAt = await page.evaluate(() => (globalThis as PageWithTimes).stoppedAt!)
  return stoppedAt - (await adminPage.evaluate(() => (globalThis as PageWithTimes).clickedAt!))
}

/** Reactivates the person and puts them back into their team. */
async function restore(adminPage: Page, account: string): Promise<void> {
  const people = await callApi(adminPage, 'GET', `/admin/users?search=${emailOf(account)}`)
  const { id } = people.find(({ email }: { email: string }) => email === emailOf(account))
  await callApi(adminPage, 'PUT', `/admin/users/${id}/status`, { status: 'active' })
  const supervisor = `supervisor${Math.ceil(Number(account.slice('trainee'.length)) / 6)}`
  const [leader] = await callApi(adminPage, 'GET', `/admin/supervisors?search=${emailOf(supervisor)}`)
  await callApi(adminPage, 'PUT', `/admin/users/${id}/supervisor?supervisor_id=${leader.id}`)
}

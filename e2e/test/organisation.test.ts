import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import type { Page } from 'playwright-core'
import { signIn, startVisit, type Visit, waitForBriefText } from '../src/browser.ts'
import { useProduct } from '../src/running-product.ts'

const clips = fileURLToPath(new URL('../../tools/clips', import.meta.url))
const admin = { name: 'First Admin', email: 'admin@example.org', password: 'correct horse battery' }

const product = useProduct({ env: { MEDIA_ROOT: clips } })
const visits: Record<string, Visit> = {}

beforeAll(async () => {
  for (const name of ['admin', 'supervisor']) visits[name] = await startVisit(product.browser)
  visits.trainee = await startVisit(product.browser, { timezoneId: 'Asia/Tokyo' })
})

const pageOf = (name: string): Page => visits[name]!.page
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

test('from an empty installation to a supervisor who sees a trainee watching', async () => {
  // The administrator account is created once. The administrator signs in.
  const adminPage = pageOf('admin')
  await adminPage.goto(product.system.url)
  await adminPage
    .getByRole('link', { name: 'Admin Access' })
    .or(adminPage.getByRole('button', { name: 'Admin Access' }))
    .click()
  await adminPage.getByLabel('Full name').fill(admin.name)
  await adminPage.getByLabel('Email address').fill(admin.email)
  await adminPage.getByLabel('Password', { exact: true }).fill(admin.password)
  await adminPage.getByLabel('Confirm password', { exact: true }).fill('something else')
  const createButton = adminPage.locator('form button[type=submit]')
  await createButton.click()
  await adminPage.getByText('Passwords do not match').waitFor()
  await adminPage.getByLabel('Confirm password', { exact: true }).fill(admin.password)
  await Promise.all([
    waitForBriefText(adminPage, 'Admin Account Created!'),
    waitForBriefText(adminPage, 'Redirecting to login...'),
    createButton.click(),
  ])
  const signInButton = adminPage.getByRole('button', { name: 'Sign in as Admin' })
  await signInButton.waitFor()
  await adminPage.getByLabel(/email/i).fill(admin.email)
  await adminPage.getByLabel('Password', { exact: true }).fill('not the password')
  await signInButton.click()
  await adminPage.getByText('Invalid email or password').waitFor()
  await adminPage.getByLabel('Password', { exact: true }).fill(admin.password)
  await signInButton.click()
  await adminPage.getByRole('tab', { name: 'All Users' }).waitFor()

  // Two people sign in for the first time: one types the address on the provider's page, one comes
  // with a login hint.
  const supervisorPage = pageOf('supervisor')
  await supervisorPage.goto(product.system.url)
  await supervisorPage
    .getByRole('link', { name: /^Sign in/ })
    .or(supervisorPage.getByRole('button', { name: /^Sign in/ }))
    .click()
  await supervisorPage.getByLabel('Email address').fill('Supervisor@example.org')
  await supervisorPage.getByRole('button', { name: 'Sign in' }).click()
  await supervisorPage.waitForURL('**/dashboard**')
  const traineePage = pageOf('trainee')
  await signIn(traineePage, product.system.url, 'trainee@example.org')
  await traineePage.getByText('No playlist assigned for today').waitFor()
  await traineePage.getByRole('button', { name: /Your menu$/ }).click()
  await Promise.all([
    traineePage.waitForResponse(answer => answer.request().method() === 'PUT' && answer.ok()),
    traineePage.getByLabel('Your time zone').selectOption('Your time zone (Asia/Tokyo)'),
  ])
  await traineePage.keyboard.press('Escape')

  // Roles and teams.
  await adminPage.getByRole('tab', { name: 'All Users' }).click()
  await adminPage.reload()
  await adminPage.getByRole('tab', { name: 'All Users' }).click()
  await rowOf(adminPage, 'supervisor@example.org')
    .getByRole('button', { name: /manage/i })
    .click()
  const panel = adminPage.getByRole('dialog')
  const saveButton = panel.getByRole('button', { name: 'Save' })
  expect(await saveButton.isDisabled()).toBe(true)
  await panel.getByLabel('Role').selectOption('supervisor')
  await saveButton.click()
  await rowOf(adminPage, 'supervisor@example.org')
    .getByText('supervisor', { exact: true })
    .filter({ visible: true })
    .waitFor()
  await adminPage.keyboard.press('Escape')
  await panel.waitFor({ state: 'hidden' })
  await rowOf(adminPage, 'trainee@example.org')
    .getByRole('button', { name: /manage/i })
    .click()
  await chooseOption(adminPage, 'Supervisor', /\(0\/10\)/)
  await saveButton.click()
  await adminPage.getByText(/ is in the team of /).waitFor()
  await adminPage.keyboard.press('Escape')
  await panel.waitFor({ state: 'hidden' })
  await rowOf(adminPage, 'trainee@example.org')
    .filter({ hasText: /supervisor/i })
    .waitFor()

  // The supervisor creates a playlist and assigns it, without a new sign-in.
  await supervisorPage.reload()
  await supervisorPage.getByRole('tab', { name: 'Playlists' }).click()
  await supervisorPage.getByRole('button', { name: 'New playlist' }).click()
  const form = supervisorPage.getByRole('dialog', { name: 'New playlist' })
  await form.getByLabel('Title').first().fill('Know the ropes')
  await form.getByLabel('Add a video').fill(`${product.system.url}/media/your-first-day.webm`)
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  const videos = form.getByRole('list', { name: 'Videos' })
  await videos.getByLabel('Title of video 1').fill('Your first day')
  const duration = videos.getByLabel('Duration of video 1')
  await eventually(async () => expect(await duration.inputValue()).toBe('0:12'))
  await form.getByRole('button', { name: 'Create Playlist' }).click()
  await supervisorPage.getByText('Playlist created').waitFor()
  const playlistDialog = supervisorPage.getByRole('dialog', { name: 'Know the ropes' })
  await playlistDialog.waitFor()
  await supervisorPage.keyboard.press('Escape')
  await playlistDialog.waitFor({ state: 'hidden' })
  await supervisorPage.getByRole('button', { name: 'Tasks Menu' }).click()
  const tasks = supervisorPage.getByRole('dialog', { name: 'Tasks Menu' })
  await tasks.getByText('Unassigned').waitFor()
  await tasks.getByRole('button', { name: /^Assign/ }).click()
  const assignDialog = supervisorPage.getByRole('dialog', { name: /^Assign / })
  await assignDialog.getByRole('checkbox').first().check()
  // A time of this day in the next year: on the clocks of Tokyo nine hours earlier than here.
  const dueDay = `${new Date().getUTCFullYear() + 1}-06-15`
  await assignDialog.getByLabel('Due date').fill(`${dueDay}T17:00`)
  await assignDialog.getByRole('combobox', { name: 'Time zone' }).click()
  await supervisorPage.getByRole('option', { name: 'Time zone of each person' }).click()
  await assignDialog.locator('button[type=submit]').click()
  await supervisorPage.getByText('Task assigned to 1 team member(s) successfully!').waitFor()

  // The trainee sees the time on the own clocks, and starts the task. The supervisor sees the
  // trainee monitoring it.
  await traineePage.reload()
  const due = traineePage.getByTitle(`${dueDay} 17:00, Asia/Tokyo, the time zone of the person`).first()
  await due.waitFor()
  expect(await due.getAttribute('datetime')).toBe(`${dueDay}T08:00:00.000Z`)
  expect(await due.textContent()).toMatch(/^Due .*\b17:00/)
  await traineePage.getByRole('button', { name: 'Start Monitoring Session' }).click()
  await traineePage.locator('[data-phase=playing]').waitFor()
  await supervisorPage.goto(`${product.system.url}/dashboard?tab=online`)
  const row = rowOf(supervisorPage, 'trainee@example.org')
  await eventually(async () => {
    await supervisorPage.getByRole('button', { name: 'Refresh' }).first().click()
    const text = await row.textContent()
    expect(text).toMatch(/monitoring/i)
    expect(text).toContain('Know the ropes')
  })
  for (const { pageErrors } of Object.values(visits)) expect(pageErrors).toEqual([])
})

async function chooseOption(page: Page, label: string, option: RegExp) {
  const field = page.getByRole('dialog').getByLabel(label, { exact: true })
  await field.click()
  await page.getByRole('option', { name: option }).first().click()
}

test('a failed sign-in is explained in the provider’s words, and never in those of somebody’s link', async () => {
  const { page } = await startVisit(product.browser)
  const { url } = product.system
  await page.goto(`${url}/profile?error=access_denied&error_description=Call+0900+123`)
  await page
    .getByText('Authentication error: The sign-in was cancelled or is not permitted. Please try again.')
    .waitFor()
  expect(await page.getByText('0900').count()).toBe(0)

  const begun = await page.request.get(`${url}/api/auth/signin`, { maxRedirects: 0 })
  const state = new URL(begun.headers().location!).searchParams.get('state')!
  const answer = { state, iss: `${url}/oidc`, error: 'access_denied', error_description: 'The person said no' }
  await page.goto(`${url}/api/auth/callback?${new URLSearchParams(answer)}`)
  await page.getByText('Authentication error: The person said no. Please try again.').waitFor()
})

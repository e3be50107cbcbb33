import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import type { Page } from 'playwright-core'
import { signIn, type Visit, visit } from '../src/browser.ts'
import { useProduct } from '../src/running-product.ts'

const clips = fileURLToPath(new URL('../../tools/clips', import.meta.url))
const admin = { name: 'First Admin', email: 'admin@example.org', password: 'correct horse battery' }

const product = useProduct({ env: { MEDIA_ROOT: clips } })
const people: Record<string, Visit> = {}

beforeAll(async () => {
  for (const name of ['admin', 'supervisor', 'trainee']) people[name] = await visit(product.browser)
})

const pageOf = (name: string): Page => people[name]!.page
const cell = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

test('from an empty installation to a supervisor who sees a trainee watching', async () => {
  // The administrator is set up once, and signs in.
  const desk = pageOf('admin')
  await desk.goto(product.system.url)
  await desk
    .getByRole('link', { name: 'Admin Access' })
    .or(desk.getByRole('button', { name: 'Admin Access' }))
    .click()
  await desk.getByLabel('Full name').fill(admin.name)
  await desk.getByLabel('Email address').fill(admin.email)
  await desk.getByLabel('Password', { exact: true }).fill(admin.password)
  await desk.getByLabel('Confirm password', { exact: true }).fill('something else')
  const create = desk.locator('form button[type=submit]')
  await create.click()
  await desk.getByText('Passwords do not match').waitFor()
  await desk.getByLabel('Confirm password', { exact: true }).fill(admin.password)
  await create.click()
  await desk.getByText('Admin Account Created!').waitFor()
  await desk.getByText('Redirecting to login...').waitFor()
  const enter = desk.getByRole('button', { name: 'Sign in as Admin' })
  await enter.waitFor()
  await desk.getByLabel(/email/i).fill(admin.email)
  await desk.getByLabel('Password', { exact: true }).fill('not the password')
  await enter.click()
  await desk.getByText('Invalid email or password').waitFor()
  await desk.getByLabel('Password', { exact: true }).fill(admin.password)
  await enter.click()
  await desk.getByRole('tab', { name: 'All Users' }).waitFor()

  // Two people sign in for the first time: one types an account on the provider's page, one is known to it by a hint.
  const boss = pageOf('supervisor')
  await boss.goto(product.system.url)
  await boss
    .getByRole('link', { name: /^Sign in/ })
    .or(boss.getByRole('button', { name: /^Sign in/ }))
    .click()
  await boss.getByLabel('E-mail address').fill('Supervisor@example.org')
  await boss.getByRole('button', { name: 'Sign in' }).click()
  await boss.waitForURL('**/dashboard**')
  const trainee = pageOf('trainee')
  await signIn(trainee, product.system.url, 'trainee@example.org')
  await trainee.getByText('No playlist assigned for today').waitFor()

  // Roles and teams.
  await desk.getByRole('tab', { name: 'All Users' }).click()
  await desk.reload()
  await desk.getByRole('tab', { name: 'All Users' }).click()
  await cell(desk, 'supervisor@example.org')
    .getByRole('button', { name: /manage/i })
    .click()
  const panel = desk.getByRole('dialog')
  const update = panel.getByRole('button', { name: 'Update Role' })
  expect(await update.isDisabled()).toBe(true)
  await panel.getByLabel('Role').selectOption('supervisor')
  await update.click()
  await cell(desk, 'supervisor@example.org')
    .getByText('supervisor', { exact: true })
    .filter({ visible: true })
    .waitFor()
  await desk.keyboard.press('Escape')
  await panel.waitFor({ state: 'hidden' })
  await cell(desk, 'trainee@example.org')
    .getByRole('button', { name: /manage/i })
    .click()
  await choose(desk, 'Supervisor', /\(0\/10\)/)
  await desk.keyboard.press('Escape')
  await panel.waitFor({ state: 'hidden' })
  await cell(desk, 'trainee@example.org')
    .filter({ hasText: /supervisor/i })
    .waitFor()

  // The supervisor, without signing in again, makes a playlist and assigns it.
  await boss.reload()
  await boss.getByRole('tab', { name: 'Playlists' }).click()
  await boss.getByRole('button', { name: 'New playlist' }).click()
  const form = boss.getByRole('dialog', { name: 'New playlist' })
  await form.getByLabel('Title').first().fill('Know the ropes')
  await form.getByLabel('Add a video').fill(`${product.system.url}/media/your-first-day.webm`)
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  const lines = form.getByRole('list', { name: 'Videos' })
  await lines.getByLabel('Title of video 1').fill('Your first day')
  const duration = lines.getByLabel('Duration of video 1')
  await eventually(async () => expect(await duration.inputValue()).toBe('0:12'))
  await form.getByRole('button', { name: 'Create Playlist' }).click()
  await boss.getByText('Playlist created').waitFor()
  const made = boss.getByRole('dialog', { name: 'Know the ropes' })
  await made.waitFor()
  await boss.keyboard.press('Escape')
  await made.waitFor({ state: 'hidden' })
  await boss.getByRole('button', { name: 'Tasks Menu' }).click()
  const tasks = boss.getByRole('dialog', { name: 'Tasks Menu' })
  await tasks.getByText('Unassigned').waitFor()
  await tasks.getByRole('button', { name: /^Assign/ }).click()
  const assign = boss.getByRole('dialog', { name: /^Assign / })
  await assign.getByRole('checkbox').first().check()
  await assign.locator('button[type=submit]').click()
  await boss.getByText('Task assigned to 1 team member(s) successfully!').waitFor()

  // The trainee finds it, starts, and the supervisor sees them monitoring it.
  await trainee.reload()
  await trainee.getByRole('button', { name: 'Start Monitoring Session' }).click()
  await trainee.locator('[data-phase=playing]').waitFor()
  await boss.goto(`${product.system.url}/dashboard`)
  const row = cell(boss, 'trainee@example.org')
  await eventually(async () => {
    await boss.getByRole('button', { name: 'Refresh' }).first().click()
    const text = await row.textContent()
    expect(text).toMatch(/monitoring/i)
    expect(text).toContain('Know the ropes')
  })
  for (const { complaints } of Object.values(people)) expect(complaints).toEqual([])
})

async function choose(page: Page, label: string, option: RegExp) {
  const field = page.getByRole('dialog').getByLabel(label, { exact: true })
  await field.click()
  await page.getByRole('option', { name: option }).first().click()
}

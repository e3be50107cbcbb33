import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import type { Page } from 'playwright-core'
import { playlistIds } from '../../tools/src/youtube/playlists.ts'
import { startYouTubeStandIn, type YouTubeStandIn } from '../../tools/src/youtube/stand-in.ts'
import { addPasskeyDevice, signIn, startVisit, type Visit } from '../src/browser.ts'
import { startProduct } from '../src/running-product.ts'

const iframeApi = readFileSync(new URL('../src/fake-iframe-api.js', import.meta.url), 'utf8')
const admin = { name: 'First Admin', email: 'admin@example.org', password: 'correct horse battery' }
const manager = 'manager@example.org'
const supervisor = 'supervisor@example.org'
const trainee = 'trainee@example.org'
const file = `e-mail,name,role,supervisor e-mail,manager e-mail
${manager},Manager One,manager,,
${supervisor},Supervisor One,supervisor,,
${trainee},Trainee One,user,${supervisor},
`

let youtube: YouTubeStandIn
let product: Awaited<ReturnType<typeof startProduct>>
const visits: Visit[] = []

beforeAll(async () => {
  youtube = await startYouTubeStandIn()
  product = await startProduct({ env: { YOUTUBE_API_URL: youtube.url, YOUTUBE_API_KEY: youtube.key } })
})
afterAll(async () => {
  await product?.close()
  await youtube?.stop()
})

afterEach(async () => {
  for (const { context, pageErrors } of visits.splice(0)) {
    expect(pageErrors).toEqual([])
    await context.close()
  }
})

async function openPage(email?: string): Promise<Page> {
  const visit = await startVisit(product.browser)
  visits.push(visit)
  if (email) await signIn(visit.page, product.system.url, email)
  return visit.page
}

async function uploadFile(adminPage: Page, name: string, content: string) {
  await adminPage
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })
}

test('from an empty installation to a trainee who watches a YouTube playlist that a manager shared', async () => {
  // The administrator account is created. An import fails because of a mistake in the file, and
  // succeeds with the corrected file.
  const adminPage = await openPage()
  await adminPage.goto(`${product.system.url}/admin`)
  await adminPage.getByLabel('Full name').fill(admin.name)
  await adminPage.getByLabel('Email address').fill(admin.email)
  await adminPage.getByLabel('Password', { exact: true }).fill(admin.password)
  await adminPage.getByLabel('Confirm password', { exact: true }).fill(admin.password)
  await adminPage.getByRole('button', { name: 'Create admin account' }).click()
  await adminPage.getByRole('button', { name: 'Sign in as Admin' }).waitFor()
  await adminPage.getByLabel(/email/i).fill(admin.email)
  await adminPage.getByLabel('Password', { exact: true }).fill(admin.password)
  await adminPage.getByRole('button', { name: 'Sign in as Admin' }).click()
  await adminPage.getByRole('tab', { name: 'All Users' }).click()
  await adminPage.getByRole('link', { name: 'Import people' }).click()
  await uploadFile(adminPage, 'people.csv', file.replace(`user,${supervisor}`, 'user,nobody@example.org'))
  await adminPage
    .getByText(/nobody@example\.org/)
    .first()
    .waitFor()
  await adminPage.getByRole('button', { name: 'Choose the corrected file' }).click()
  await uploadFile(adminPage, 'people.csv', file)
  await adminPage.getByText('3 people ready to import').waitFor()
  await adminPage.getByRole('button', { name: 'Import', exact: true }).click()
  const confirmation = adminPage.getByRole('dialog').or(adminPage.getByRole('alertdialog'))
  await confirmation.getByRole('button', { name: /^Import/ }).click()
  await adminPage.getByText('3 people were imported').first().waitFor()

  // The manager signs in for the first time with the role of the file, and requests the supervisor.
  const managerPage = await openPage(manager)
  await managerPage.getByRole('heading', { name: 'Manager Dashboard' }).waitFor()
  await managerPage.getByRole('button', { name: 'Request Supervisor' }).first().click()
  const requestDialog = managerPage.getByRole('dialog', { name: 'Request Supervisor' })
  await requestDialog.getByRole('radio', { name: /Supervisor One/ }).check()
  await requestDialog.getByLabel(/Reason/).fill('To train the new team')
  await requestDialog.locator('button[type=submit]').click()
  await managerPage.getByText('Supervisor request submitted for admin approval!').waitFor()

  // The administrator sees the request with its reason, and approves it.
  await adminPage.goto(`${product.system.url}/admin?tab=managers`)
  await adminPage.getByText('To train the new team').waitFor()
  await adminPage.getByRole('button', { name: /^Approve/ }).click()
  await adminPage.getByText('Supervisor request approved successfully!').waitFor()

  // The manager shares a YouTube playlist with the new supervisor.
  await managerPage.reload()
  await managerPage.getByText('Supervisor One').first().waitFor()
  await managerPage.getByRole('button', { name: 'Share Playlist' }).first().click()
  const shareDialog = managerPage.getByRole('dialog', { name: 'Share Playlist' })
  await shareDialog.getByLabel(/playlist URL|address/i).fill('https://www.youtube.com/watch?v=stand-in-01')
  await shareDialog.getByRole('checkbox', { name: /Supervisor One/ }).check()
  await shareDialog.locator('button[type=submit]').click()
  await managerPage.getByText('This is not a YouTube playlist URL').first().waitFor()
  await shareDialog.getByLabel(/playlist URL|address/i).fill(youtube.urlOf(playlistIds.short))
  await shareDialog.locator('button[type=submit]').click()
  await managerPage.getByText('Playlist shared successfully with selected supervisors!').waitFor()

  // The supervisor assigns it, due tomorrow by the clocks of this browser.
  const supervisorPage = await openPage(supervisor)
  await supervisorPage.getByRole('button', { name: 'Tasks Menu' }).click()
  const tasks = supervisorPage.getByRole('dialog', { name: 'Tasks Menu' })
  await tasks.getByText('Lifting and carrying').waitFor()
  await tasks.getByText('Unassigned').waitFor()
  await tasks.getByRole('button', { name: /^Assign/ }).click()
  const assignDialog = supervisorPage.getByRole('dialog', { name: /^Assign / })
  await assignDialog.getByRole('checkbox', { name: /Trainee One/ }).check()
  const tomorrow = await supervisorPage.evaluate(() => {
    const date = new Date()
    date.setDate(date.getDate() + 1)
    return date.toLocaleDateString('sv')
  })
  await assignDialog.getByRole('textbox', { name: 'Due date' }).fill(`${tomorrow}T17:30`)
  await assignDialog.getByRole('combobox', { name: 'Time zone' }).click()
  await supervisorPage.getByRole('option', { name: /^Your time zone/ }).click()
  await assignDialog.locator('button[type=submit]').click()
  await supervisorPage.getByText('Task assigned to 1 team member(s) successfully!').waitFor()

  // The trainee gets it as today's task, and plays it.
  const traineePage = await openPage()
  await traineePage
    .context()
    .route('https://www.youtube.com/iframe_api', route =>
      route.fulfill({ contentType: 'text/javascript', body: iframeApi }),
    )
  await signIn(traineePage, product.system.url, trainee)
  await traineePage.getByText('Lifting and carrying').first().waitFor()
  await traineePage.getByText(/^Due tomorrow at 0?5:30|^Due tomorrow at 17:30/).waitFor()
  await traineePage.getByRole('button', { name: 'Start Monitoring Session' }).click()
  await traineePage.locator('[data-phase=playing]').waitFor()

  // The supervisor sees the monitored playlist. The manager sees the team.
  await supervisorPage.goto(`${product.system.url}/dashboard?tab=online`)
  await eventually(async () => {
    await supervisorPage.getByRole('button', { name: 'Refresh' }).first().click()
    const row = supervisorPage.getByRole('row').filter({ hasText: trainee })
    expect(await row.textContent()).toMatch(/monitoring.*Lifting and carrying/i)
  })
  await managerPage.reload()
  await managerPage.getByRole('button', { name: /Supervisor One/ }).click()
  await managerPage.getByText('Trainee One').filter({ visible: true }).first().waitFor()

  // The audit log has the actions of the administrator.
  await adminPage.goto(`${product.system.url}/admin?tab=settings&view=audit`)
  await adminPage
    .getByText(/approved/i)
    .filter({ hasText: 'Supervisor One' })
    .first()
    .waitFor()
  await adminPage
    .getByText(/people\.csv/)
    .first()
    .waitFor()
})

async function signInAsAdmin(page: Page, email: string, password: string) {
  await page.getByLabel(/email/i).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in as Admin' }).click()
}

test('a second administrator accepts an invitation, and signs in with a passkey', async () => {
  const adminPage = await openPage()
  await adminPage.goto(`${product.system.url}/admin?tab=settings`)
  await signInAsAdmin(adminPage, admin.email, admin.password)
  await adminPage.getByRole('button', { name: 'Invite administrator…' }).click()
  const invitation = adminPage.getByRole('dialog')
  await invitation.getByLabel('Full name').fill('Second Admin')
  await invitation.getByLabel('Email address').fill('second@example.org')
  await invitation.getByRole('button', { name: 'Invite', exact: true }).click()
  const link = await invitation.getByLabel('Link').inputValue()
  await invitation.getByRole('button', { name: 'Done' }).click()
  await adminPage.getByRole('heading', { name: 'Open invitations' }).waitFor()

  // The invited person opens the link on a device with a fingerprint sensor.
  const page = await openPage()
  await addPasskeyDevice(page)
  const password = 'another horse battery'
  await page.goto(link)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Create my account' }).click()
  await signInAsAdmin(page, 'second@example.org', password)
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Add a second factor…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Your password').fill(password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByLabel('Name').fill('Work laptop')
  await dialog.getByRole('button', { name: 'Create passkey' }).click()
  await dialog.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').nth(9).waitFor()
  await dialog.getByRole('button', { name: 'I have kept them' }).click()
  await page.getByText('Work laptop').first().waitFor()

  // In a new session the password alone is not enough.
  await page.context().clearCookies()
  await page.goto(`${product.system.url}/admin`)
  await signInAsAdmin(page, 'second@example.org', password)
  await page.getByRole('button', { name: 'Use your passkey' }).click()
  await page.getByRole('heading', { name: 'Admin Dashboard' }).waitFor()
  await adminPage.reload()
  await adminPage.getByText('Password and second factor').waitFor()
})

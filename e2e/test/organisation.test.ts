import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { playlistIds } from '../../tools/src/youtube/playlists.ts'
import { startYouTubeStandIn, type YouTubeStandIn } from '../../tools/src/youtube/stand-in.ts'
import { addPasskeyDevice, signIn, startVisit, type Visit, waitForBriefText } from '../src/browser.ts'
import { startProduct } from '../src/running-product.ts'

const iframeApi = readFileSync(new URL('../src/fake-iframe-api.js', import.meta.url), 'utf8')
const clips = fileURLToPath(new URL('../../tools/clips', import.meta.url))
const admin = { name: 'First Admin', email: 'admin@example.org', password: 'correct horse battery' }

const manager = 'manager.one@example.org'
const supervisor = 'supervisor.one@example.org'
const trainee = 'trainee.one@example.org'
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
  const env = { MEDIA_ROOT: clips, YOUTUBE_API_URL: youtube.url, YOUTUBE_API_KEY: youtube.key }
  product = await startProduct({ env })
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

async function openPage(email?: string, options?: BrowserContextOptions): Promise<Page> {
  const visit = await startVisit(product.browser, options)
  visits.push(visit)
  if (email) await signIn(visit.page, product.system.url, email)
  return visit.page
}

const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

// The journeys follow each other: the first one creates the administrator account.
test('from an empty installation to a supervisor who sees a trainee watching', async () => {
  // The administrator account is created once. The administrator signs in.
  const adminPage = await openPage()
  await adminPage.goto(`${product.system.url}/admin`)
  await adminPage.getByRole('button', { name: 'Create admin account' }).waitFor()
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
  const supervisorPage = await openPage()
  await supervisorPage.goto(product.system.url)
  await supervisorPage
    .getByRole('link', { name: /^Sign in/ })
    .or(supervisorPage.getByRole('button', { name: /^Sign in/ }))
    .click()
  await supervisorPage.getByLabel('Email address').fill('Supervisor@example.org')
  await supervisorPage.getByRole('button', { name: 'Sign in' }).click()
  await supervisorPage.waitForURL('**/dashboard**')
  const traineePage = await openPage('trainee@example.org', { timezoneId: 'Asia/Tokyo' })
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
  // 17:00 on 15 June of next year. In Tokyo that is 08:00 UTC.
  const dueDay = `${new Date().getUTCFullYear() + 1}-06-15`
  await assignDialog.getByLabel('Due date').fill(`${dueDay}T17:00`)
  await assignDialog.getByRole('combobox', { name: 'Time zone' }).click()
  await supervisorPage.getByRole('option', { name: 'Time zone of each person' }).click()
  await assignDialog.locator('button[type=submit]').click()
  await supervisorPage.getByText('Task assigned to 1 team member(s) successfully!').waitFor()

  // The trainee sees the time in their own time zone, and starts the task. The supervisor sees the
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
})

async function chooseOption(page: Page, label: string, option: RegExp) {
  const field = page.getByRole('dialog').getByLabel(label, { exact: true })
  await field.click()
  await page.getByRole('option', { name: option }).first().click()
}

test('a failed sign-in is explained in the provider’s words, and never in those of somebody’s link', async () => {
  const page = await openPage()
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

async function uploadFile(adminPage: Page, name: string, content: string) {
  await adminPage
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })
}

test('from an import of people to a trainee who watches a YouTube playlist that a manager shared', async () => {
  // An import fails because of a mistake in the file, and succeeds with the corrected file.
  const adminPage = await openPage()
  await adminPage.goto(`${product.system.url}/admin`)
  await signInAsAdmin(adminPage, admin.email, admin.password)
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
  await invitation.getByLabel('Your password').fill(admin.password)
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

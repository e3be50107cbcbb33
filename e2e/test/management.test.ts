import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import type { Page } from 'playwright-core'
import { playlistIds } from '../../tools/src/youtube/playlists.ts'
import { startYouTubeStandIn, type YouTubeStandIn } from '../../tools/src/youtube/stand-in.ts'
import { signIn, type Visit, visit } from '../src/browser.ts'
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

async function enter(email?: string): Promise<Page> {
  const visited = await visit(product.browser)
  visits.push(visited)
  if (email) await signIn(visited.page, product.system.url, email)
  return visited.page
}

async function upload(desk: Page, name: string, content: string) {
  await desk.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })
}

test('from an empty installation to a trainee who watches what a manager shared from YouTube', async () => {
  // The administrator is set up and brings everybody in from a file, after a first try with a mistake in it.
  const desk = await enter()
  await desk.goto(`${product.system.url}/admin`)
  await desk.getByLabel('Full name').fill(admin.name)
  await desk.getByLabel('Email address').fill(admin.email)
  await desk.getByLabel('Password', { exact: true }).fill(admin.password)
  await desk.getByLabel('Confirm password', { exact: true }).fill(admin.password)
  await desk.getByRole('button', { name: 'Create admin account' }).click()
  await desk.getByRole('button', { name: 'Sign in as Admin' }).waitFor()
  await desk.getByLabel(/email/i).fill(admin.email)
  await desk.getByLabel('Password', { exact: true }).fill(admin.password)
  await desk.getByRole('button', { name: 'Sign in as Admin' }).click()
  await desk.getByRole('tab', { name: 'All Users' }).click()
  await desk.getByRole('link', { name: 'Import people' }).click()
  await upload(desk, 'people.csv', file.replace(`user,${supervisor}`, 'user,nobody@example.org'))
  await desk
    .getByText(/nobody@example\.org/)
    .first()
    .waitFor()
  await desk.getByRole('button', { name: 'Choose the corrected file' }).click()
  await upload(desk, 'people.csv', file)
  await desk.getByText('3 people can be brought in').waitFor()
  await desk.getByRole('button', { name: 'Bring them in' }).click()
  const sure = desk.getByRole('dialog').or(desk.getByRole('alertdialog'))
  await sure.getByRole('button', { name: /bring/i }).click()
  await desk
    .getByText(/3 people (were|are|have been) brought in/i)
    .first()
    .waitFor()

  // The manager signs in for the first time, is who the file said, and asks for the supervisor.
  const head = await enter(manager)
  await head.getByRole('heading', { name: 'Manager Dashboard' }).waitFor()
  await head.getByRole('button', { name: 'Request Supervisor' }).first().click()
  const asking = head.getByRole('dialog', { name: 'Request Supervisor' })
  await asking.getByRole('radio', { name: /Supervisor One/ }).check()
  await asking.getByLabel(/Reason/).fill('To train the new team')
  await asking.locator('button[type=submit]').click()
  await head.getByText('Supervisor request submitted for admin approval!').waitFor()

  // The administrator sees the request with its reason, and approves it.
  await desk.goto(`${product.system.url}/admin?tab=managers`)
  await desk.getByText('To train the new team').waitFor()
  await desk.getByRole('button', { name: /^Approve/ }).click()
  await desk.getByText('Supervisor request approved successfully!').waitFor()

  // The manager shares a playlist of YouTube with the supervisor who is theirs now.
  await head.reload()
  await head.getByText('Supervisor One').first().waitFor()
  await head.getByRole('button', { name: 'Share Playlist' }).first().click()
  const sharing = head.getByRole('dialog', { name: 'Share Playlist' })
  await sharing.getByLabel(/playlist URL|address/i).fill('https://www.youtube.com/watch?v=stand-in-01')
  await sharing.getByRole('checkbox', { name: /Supervisor One/ }).check()
  await sharing.locator('button[type=submit]').click()
  await head.getByText('This is not a YouTube playlist URL').first().waitFor()
  await sharing.getByLabel(/playlist URL|address/i).fill(youtube.urlOf(playlistIds.short))
  await sharing.locator('button[type=submit]').click()
  await head.getByText('Playlist shared successfully with selected supervisors!').waitFor()

  // The supervisor finds it among the tasks and assigns it.
  const boss = await enter(supervisor)
  await boss.getByRole('button', { name: 'Tasks Menu' }).click()
  const tasks = boss.getByRole('dialog', { name: 'Tasks Menu' })
  await tasks.getByText('Lifting and carrying').waitFor()
  await tasks.getByText('Unassigned').waitFor()
  await tasks.getByRole('button', { name: /^Assign/ }).click()
  const assign = boss.getByRole('dialog', { name: /^Assign / })
  await assign.getByRole('checkbox', { name: /Trainee One/ }).check()
  await assign.locator('button[type=submit]').click()
  await boss.getByText('Task assigned to 1 team member(s) successfully!').waitFor()

  // It is the trainee's task of today, and plays.
  const seat = await enter()
  await seat
    .context()
    .route('https://www.youtube.com/iframe_api', route =>
      route.fulfill({ contentType: 'text/javascript', body: iframeApi }),
    )
  await signIn(seat, product.system.url, trainee)
  await seat.getByText('Lifting and carrying').first().waitFor()
  await seat.getByRole('button', { name: 'Start Monitoring Session' }).click()
  await seat.locator('[data-phase=playing]').waitFor()

  // Both above see it: the supervisor who monitors what, the manager whose team it is.
  await boss.goto(`${product.system.url}/dashboard`)
  await eventually(async () => {
    await boss.getByRole('button', { name: 'Refresh' }).first().click()
    const row = boss.getByRole('row').filter({ hasText: trainee })
    expect(await row.textContent()).toMatch(/monitoring.*Lifting and carrying/i)
  })
  await head.reload()
  await head.getByRole('button', { name: /Supervisor One/ }).click()
  await head.getByText('Trainee One').filter({ visible: true }).first().waitFor()

  // Everything the administrator did stands in the log.
  await desk.goto(`${product.system.url}/admin?tab=settings&view=audit`)
  await desk
    .getByText(/approved/i)
    .filter({ hasText: 'Supervisor One' })
    .first()
    .waitFor()
  await desk
    .getByText(/people\.csv/)
    .first()
    .waitFor()
  for (const { complaints } of visits) expect(complaints).toEqual([])
})

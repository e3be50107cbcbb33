import type { Page } from 'playwright-core'
import { emailOf, nameOf } from '../../../tools/src/demo/people.ts'
import { signIn } from '../browser.ts'

/** A walk through the screens of one role. `shoot` takes the pictures of the present screen. */
export interface Tour {
  role: string
  walk: (page: Page, baseUrl: string, shoot: (screen: string) => Promise<void>) => Promise<void>
}

const openTab = (page: Page, name: string | RegExp) => page.getByRole('tab', { name }).click()
const closeDialog = async (page: Page) => {
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').first().waitFor({ state: 'hidden' })
}

const visitor: Tour = {
  role: 'visitor',
  walk: async (page, baseUrl, shoot) => {
    await page.goto(baseUrl)
    await page.getByText('Admin Access').waitFor()
    await shoot('sign-in')
    await page.goto(`${baseUrl}/admin`)
    await page.getByRole('button', { name: 'Sign in as Admin' }).waitFor()
    await shoot('admin-sign-in')
  },
}

/** `account` differs for each width, because a trainee has one session at a time. */
const trainee = (account: string): Tour => ({
  role: 'trainee',
  walk: async (page, baseUrl, shoot) => {
    await signIn(page, baseUrl, emailOf(account))
    const start = page.getByRole('button', { name: /^(Start Monitoring Session|Continue with|Watch Again)/ }).first()
    await start.waitFor()
    await shoot('trainee')
    await start.click()
    await page.locator('[data-phase=playing]').waitFor()
    await page.getByText('Credited').filter({ visible: true }).first().waitFor()
    await shoot('session')
  },
})

const supervisor: Tour = {
  role: 'supervisor',
  walk: async (page, baseUrl, shoot) => {
    await signIn(page, baseUrl, emailOf('supervisor1'))
    await openTab(page, "Who's Online")
    await page.getByRole('button', { name: 'Refresh' }).waitFor()
    await shoot('supervisor')
    await openTab(page, 'Team Members')
    const member = page
      .getByRole('button', { name: nameOf('trainee1') })
      .filter({ visible: true })
      .first()
    await member.waitFor()
    await shoot('supervisor-team')
    await member.click()
    await page.getByRole('dialog').getByText('Welcome and safety').first().waitFor()
    await shoot('supervisor-person')
    await closeDialog(page)
    await openTab(page, 'Playlists')
    await page.getByRole('button', { name: 'New playlist' }).waitFor()
    await shoot('supervisor-playlists')
    await openTab(page, 'Engagement')
    await page.getByText('Average Completion').waitFor()
    await shoot('supervisor-engagement')
    await page.getByRole('button', { name: 'Tasks Menu' }).click()
    await page
      .getByRole('button', { name: /^Start Task/ })
      .first()
      .waitFor()
    await shoot('supervisor-tasks')
  },
}

const manager: Tour = {
  role: 'manager',
  walk: async (page, baseUrl, shoot) => {
    await signIn(page, baseUrl, emailOf('manager1'))
    await page.getByRole('button', { name: nameOf('supervisor1') }).click()
    await page.getByText(nameOf('trainee1'), { exact: true }).first().waitFor()
    await shoot('manager')
    await page.getByRole('button', { name: 'Share Playlist', exact: true }).click()
    await page.getByRole('dialog').getByText(nameOf('supervisor2'), { exact: true }).waitFor()
    await shoot('manager-share')
    await closeDialog(page)
    await openTab(page, 'Team Analytics')
    await page.getByRole('img', { name: /Bar chart/ }).waitFor()
    await shoot('manager-analytics')
  },
}

const director: Tour = {
  role: 'director',
  walk: async (page, baseUrl, shoot) => {
    await signIn(page, baseUrl, emailOf('director1'))
    await openTab(page, "Who's Online")
    await page.getByRole('button', { name: 'Refresh' }).waitFor()
    await shoot('director')
    await openTab(page, 'Team Members')
    await page.getByText(emailOf('supervisor1')).filter({ visible: true }).first().waitFor()
    await shoot('director-team')
    await openTab(page, 'Engagement')
    await page.getByText('Average Completion').waitFor()
    await shoot('director-engagement')
  },
}

const admin: Tour = {
  role: 'admin',
  walk: async (page, baseUrl, shoot) => {
    await page.goto(`${baseUrl}/admin`)
    await page.getByLabel(/email/i).fill(emailOf('admin'))
    await page.getByLabel('Password', { exact: true }).fill('watchline-demo')
    await page.getByRole('button', { name: 'Sign in as Admin' }).click()
    await page.getByRole('button', { name: 'Refresh' }).waitFor()
    await shoot('admin')
    await openTab(page, 'All Users')
    const manage = page
      .getByRole('button', { name: /^Manage(?!r)/ })
      .filter({ visible: true })
      .first()
    await manage.waitFor()
    await shoot('admin-users')
    await manage.click()
    await page.getByRole('button', { name: 'Save' }).waitFor()
    await shoot('admin-person')
    await page.keyboard.press('Escape')
    await openTab(page, 'Supervisors')
    await page
      .getByRole('button', { name: `Manage ${nameOf('supervisor1')}` })
      .first()
      .waitFor()
    await shoot('admin-supervisors')
    await openTab(page, /^Managers/)
    await page
      .getByRole('button', { name: `Manage ${nameOf('manager1')}` })
      .first()
      .waitFor()
    await shoot('admin-managers')
    await openTab(page, 'Settings')
    await page.getByText('Connected').first().waitFor()
    await shoot('admin-settings')
    await page.goto(`${baseUrl}/admin?tab=settings&view=audit`)
    await page.getByRole('checkbox', { name: 'Sign-ins' }).check()
    await page
      .getByText(/signed in\./)
      .first()
      .waitFor()
    await shoot('admin-audit')
    await page.goto(`${baseUrl}/admin?tab=users&view=import`)
    await page.locator('input[type=file]').waitFor({ state: 'attached' })
    await shoot('admin-import')
  },
}

/** All tours, for the nth width. */
export function listTours(width: number): Tour[] {
  return [visitor, trainee(`trainee${width + 3}`), supervisor, manager, director, admin]
}

import type { Page } from 'playwright-core'
import { emailOf, nameOf } from '../../../tools/src/demo/people.ts'
import { addPasskeyDevice, signIn } from '../browser.ts'

/** Takes the pictures of the present screen; `whole` with what is below the fold. */
export type Shoot = (screen: string, options?: { page?: Page; whole?: boolean }) => Promise<void>

/** A walk through the screens of one role. It leaves behind nothing but entries of logs. */
export interface Tour {
  role: string
  walk: (page: Page, baseUrl: string, shoot: Shoot) => Promise<void>
}

const openTab = (page: Page, name: string | RegExp) => page.getByRole('tab', { name }).click()
const closeDialog = async (page: Page) => {
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').first().waitFor({ state: 'hidden' })
}

/** A second browser of the same size. */
async function openBrowser(page: Page): Promise<Page> {
  const isTouch = await page.evaluate(() => navigator.maxTouchPoints > 0)
  const context = await page.context().browser()!.newContext({
    viewport: page.viewportSize(),
    isMobile: isTouch,
    hasTouch: isTouch,
    serviceWorkers: 'block',
  })
  return context.newPage()
}

async function signInAsAdmin(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel(/email/i).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in as Admin' }).click()
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
    await page.route('**/api/auth/failure', route =>
      route.fulfill({ json: { error: 'deactivated', description: null } }),
    )
    await page.goto(`${baseUrl}/profile?error=deactivated`)
    await page.getByText('Your account is deactivated').waitFor()
    await shoot('deactivated')
    await page.goto(`${baseUrl}/?page=privacy`)
    await page.getByText('2 years').first().waitFor()
    await shoot('privacy', { whole: true })
    await page.goto(`${baseUrl}/verify`)
    await page.getByRole('button', { name: 'Choose file' }).waitFor()
    await shoot('verify')
    await page.goto(`${baseUrl}/admin#invite=unknown`)
    await page.getByText('This invitation is no longer valid').waitFor()
    await shoot('invitation-invalid')
    const options = { provider: 'Example', providers: ['Example', 'Partner'].map(name => ({ id: name, name })) }
    await page.route('**/api/auth/options', route => route.fulfill({ json: options }))
    await page.goto(baseUrl)
    await page.getByText('Sign in with Partner').waitFor()
    await shoot('sign-in-providers')
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
    const playing = page.locator('[data-phase=playing]')
    const agree = page.getByRole('button', { name: 'I agree' })
    await playing.or(agree).waitFor()
    if (await agree.isVisible()) {
      await shoot('session-notice')
      await agree.click()
    }
    await playing.waitFor()
    await page.getByText('Credited').filter({ visible: true }).first().waitFor()
    await shoot('session')

    const otherBrowser = await openBrowser(page)
    await otherBrowser.goto(`${baseUrl}/api/auth/signin?login_hint=${encodeURIComponent(emailOf(account))}`)
    await otherBrowser.getByText('End the other session and sign in').waitFor()
    await shoot('other-session', { page: otherBrowser })
    await otherBrowser.context().close()

    await page.goto(`${baseUrl}/dashboard?page=record`)
    await page.getByText('Last watched').first().waitFor()
    await shoot('own-record', { whole: true })
  },
})

const supervisor: Tour = {
  role: 'supervisor',
  walk: async (page, baseUrl, shoot) => {
    await signIn(page, baseUrl, emailOf('supervisor1'))
    await openTab(page, "Who's Online")
    await page.getByRole('button', { name: 'Refresh' }).waitFor()
    await shoot('supervisor')
    await page.getByRole('button', { name: /^Notifications/ }).click()
    await page.getByRole('dialog', { name: 'Notifications' }).getByRole('region').first().waitFor()
    await shoot('supervisor-bell')
    await closeDialog(page)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /^Search people/ }).fill('task')
    await page.getByRole('option', { name: 'Tasks Menu' }).waitFor()
    await shoot('supervisor-palette')
    await closeDialog(page)
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
    await page.getByRole('button', { name: 'New playlist' }).click()
    await page.getByRole('button', { name: 'Create Playlist' }).waitFor()
    await shoot('supervisor-new-playlist')
    await closeDialog(page)
    await openTab(page, 'Engagement')
    await page.getByText('Average Completion', { exact: true }).waitFor()
    await shoot('supervisor-engagement')
    await page.getByText('Tasks at risk', { exact: true }).click()
    await page.getByLabel('Due until').waitFor()
    await shoot('supervisor-at-risk')
    await page.getByText('Reports', { exact: true }).click()
    await page.getByRole('button', { name: 'Print' }).waitFor()
    await shoot('supervisor-reports', { whole: true })
    await page.getByRole('button', { name: 'Tasks Menu' }).click()
    await page
      .getByRole('button', { name: /^Start Task/ })
      .first()
      .waitFor()
    await shoot('supervisor-tasks')
    await page
      .getByRole('dialog', { name: 'Tasks Menu' })
      .getByRole('button', { name: /^Assign/ })
      .first()
      .click()
    await page.getByRole('dialog', { name: /^Assign / }).waitFor()
    await shoot('supervisor-assign')
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
    await page.getByRole('dialog').getByText('Or a playlist from YouTube').waitFor()
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
    await page.getByText('Average Completion', { exact: true }).waitFor()
    await shoot('director-engagement')
    await openTab(page, 'Groups')
    await page.getByRole('button', { name: 'Warehouse' }).click()
    await page.getByRole('dialog').getByText('Chosen by hand').waitFor()
    await shoot('director-group')
  },
}

const admin: Tour = {
  role: 'admin',
  walk: async (page, baseUrl, shoot) => {
    await page.goto(`${baseUrl}/admin`)
    await signInAsAdmin(page, emailOf('admin'), 'watchline-demo')
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
    const dialogs = {
      deactivate: 'Deactivate…',
      erase: 'Erase…',
      delete: 'Delete…',
      views: 'Who looked at this person…',
    }
    for (const [screen, name] of Object.entries(dialogs)) {
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByRole('dialog').nth(1).waitFor()
      await shoot(`admin-person-${screen}`)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').nth(1).waitFor({ state: 'hidden' })
    }
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
    await openTab(page, 'Reports')
    await page.getByRole('button', { name: 'Print' }).waitFor()
    await shoot('admin-reports', { whole: true })
    await openTab(page, 'Settings')
    await page.getByText('Connected').first().waitFor()
    await shoot('admin-settings', { whole: true })
    await page.goto(`${baseUrl}/admin?tab=settings&view=rules`)
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByLabel('contains').fill('watchline-supervisors')
    await page.getByLabel('the person is').selectOption('supervisor')
    await page.getByRole('button', { name: 'Show who would change' }).click()
    await page.getByRole('heading', { name: 'Who would change' }).waitFor()
    await shoot('admin-rules', { whole: true })
    await page.goto(`${baseUrl}/admin?tab=settings&view=mails`)
    await page.getByLabel('Subject').waitFor()
    await shoot('admin-mails', { whole: true })
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

/** Invites another administrator, who signs in with a passkey, and removes them again. */
const secondAdmin: Tour = {
  role: 'second-admin',
  walk: async (page, baseUrl, shoot) => {
    const name = 'Second Administrator'
    const email = 'second-administrator@demo.local'
    const password = 'four words are enough'
    await page.goto(`${baseUrl}/admin?tab=settings`)
    await signInAsAdmin(page, emailOf('admin'), 'watchline-demo')
    await page.getByRole('button', { name: 'Invite administrator…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Full name').fill(name)
    await dialog.getByLabel('Email address').fill(email)
    await dialog.getByLabel('Your password').fill('watchline-demo')
    await shoot('admin-invite')
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    const link = await dialog.getByLabel('Link').inputValue()
    await shoot('admin-invited')
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('heading', { name: 'Open invitations' }).scrollIntoViewIfNeeded()
    await shoot('admin-invitations')

    const second = await openBrowser(page)
    const shootSecond = (screen: string) => shoot(screen, { page: second })
    await addPasskeyDevice(second)
    await second.goto(link)
    await second.getByLabel('Confirm password', { exact: true }).fill(password)
    await second.getByLabel('Password', { exact: true }).fill(password)
    await shootSecond('invitation')
    await second.getByRole('button', { name: 'Create my account' }).click()
    await signInAsAdmin(second, email, password)
    await second.getByRole('tab', { name: 'Settings' }).click()
    const factor = second.getByRole('dialog')
    for (const kind of ['Passkey', 'Authenticator app'] as const) {
      await second.getByRole('button', { name: 'Add a second factor…' }).click()
      await factor.getByLabel(kind).check()
      await factor.getByLabel('Your password').fill(password)
      if (kind === 'Passkey') await shootSecond('second-factor')
      await factor.getByRole('button', { name: 'Continue' }).click()
      await factor.getByLabel('Name').fill(kind === 'Passkey' ? 'Work laptop' : 'Phone')
      await shootSecond(kind === 'Passkey' ? 'second-factor-passkey' : 'second-factor-app')
      if (kind === 'Passkey') {
        await factor.getByRole('button', { name: 'Create passkey' }).click()
        await factor.getByRole('list', { name: 'Recovery codes' }).waitFor()
        await shootSecond('second-factor-codes')
        await factor.getByRole('button', { name: 'I have kept them' }).click()
      } else await second.keyboard.press('Escape')
      await factor.waitFor({ state: 'hidden' })
    }
    await second.getByRole('button', { name: 'Remove Work laptop…' }).scrollIntoViewIfNeeded()
    await shootSecond('second-factors')
    await second.getByRole('button', { name: 'Remove Work laptop…' }).click()
    await factor.waitFor()
    await shootSecond('second-factor-remove')
    await second.context().clearCookies()
    await second.goto(`${baseUrl}/admin`)
    await signInAsAdmin(second, email, password)
    await second.getByRole('button', { name: 'Use your passkey' }).waitFor()
    await shootSecond('second-step')
    await second.getByRole('button', { name: 'Use a recovery code' }).click()
    await second.getByLabel('Recovery code').fill('not a code')
    await second.getByRole('button', { name: 'Confirm' }).click()
    await second.getByRole('alert').waitFor()
    await shootSecond('second-step-recovery')
    await second.context().close()

    await page.reload()
    await page.getByRole('button', { name: `Remove ${name}…` }).scrollIntoViewIfNeeded()
    await shoot('admin-administrators')
    await page.getByRole('button', { name: `Remove ${name}…` }).click()
    await dialog.waitFor()
    await dialog.getByLabel('Your password').fill('watchline-demo')
    await shoot('admin-remove')
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText(`${name} is no longer an administrator`).waitFor()
    await page.goto(`${baseUrl}/admin?tab=users&search=second`)
    await page
      .getByRole('button', { name: `Manage ${name}` })
      .filter({ visible: true })
      .first()
      .click()
    await page.getByRole('button', { name: 'Reactivate' }).waitFor()
    await shoot('admin-deactivated')
    await page.getByRole('button', { name: 'Erase…' }).click()
    const erasure = page.getByRole('dialog', { name: `Erase ${name}?` })
    await erasure.getByLabel(/^To confirm/).fill(email)
    await erasure.getByLabel('Your password').fill('watchline-demo')
    await shoot('admin-erase')
    await erasure.getByRole('button', { name: 'Erase', exact: true }).click()
    await page.getByText(`${name} is erased`).waitFor()
    await page.goto(`${baseUrl}/admin?tab=settings&view=audit`)
    await page
      .getByText(/^Done /)
      .first()
      .waitFor()
    await shoot('admin-erasures', { whole: true })
  },
}

/** All tours, for the nth width. */
export function listTours(width: number): Tour[] {
  return [visitor, trainee(`trainee${width + 3}`), supervisor, manager, director, admin, secondAdmin]
}

import { beforeAll, describe, expect, test } from '@jest/globals'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { nameOf } from '../../tools/src/demo/people.ts'
import { findAccessibilityFaults, findAxeFaults, scrollsSideways } from '../src/accessibility.ts'
import { callApi } from '../src/api.ts'
import { signIn, startVisit, waitForAnimations } from '../src/browser.ts'
import { delayAnswers, recordMovedControls } from '../src/late-answers.ts'
import { useProduct } from '../src/running-product.ts'

const product = useProduct({ demo: true })

const sizes: { size: string; trainee: string; context: BrowserContextOptions }[] = [
  { size: '1280 pixels', trainee: 'trainee7', context: { viewport: { width: 1280, height: 800 } } },
  {
    size: '390 pixels',
    trainee: 'trainee8',
    context: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  },
]

/** A pending request, so that the administrator's screen shows one. */
beforeAll(async () => {
  const { page, context } = await startVisit(product.browser)
  await signIn(page, product.system.url, 'manager2@demo.local')
  const [supervisor] = await callApi(page, 'GET', '/admin/supervisors?available=true')
  await callApi(page, 'POST', '/manager/request-supervisor', {
    requested_supervisor_id: supervisor.id,
    reason: 'We work on the same floor.',
  })
  await context.close()
})

async function signInAsAdmin(page: Page) {
  await page.getByLabel(/email/i).fill('admin@demo.local')
  await page.getByLabel('Password', { exact: true }).fill('watchline-demo')
  await page.getByRole('button', { name: 'Sign in as Admin' }).click()
  await page.getByRole('tab', { name: 'All Users' }).waitFor()
}

/** The names of the list of people that have no room at this width. */
async function findCutNames(page: Page, width: number): Promise<string[]> {
  const size = page.viewportSize()!
  await page.setViewportSize({ ...size, width })
  const names = page.getByRole('table').locator('tbody [title]')
  const cutNames = await names.evaluateAll(elements =>
    elements.filter(element => element.scrollWidth > element.clientWidth).map(element => element.textContent ?? ''),
  )
  await page.setViewportSize(size)
  return cutNames
}

/** Axe's rules that depend on colors. */
const colorRules = ['color-contrast', 'link-in-text-block']

const appearances = [
  { appearance: 'light', scheme: 'light', forcedColors: 'none' },
  { appearance: 'dark', scheme: 'dark', forcedColors: 'none' },
  { appearance: 'forced colors', scheme: 'dark', forcedColors: 'active' },
] as const

/**
 * Checks the screen: two engines find no fault, targets are large enough, and the page never
 * scrolls sideways, neither at 200 % zoom (640 pixels) nor at 320 pixels. The appearances differ in
 * colors only, so all but the first need only the rules for colors.
 */
async function checkScreen(page: Page, screen: string) {
  for (const { appearance, scheme, forcedColors } of appearances) {
    await page.emulateMedia({ colorScheme: scheme, forcedColors })
    await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor()
    // Screens are checked after their animations.
    await waitForAnimations(page)
    const findings = await (appearance === 'light' ? findAccessibilityFaults(page) : findAxeFaults(page, colorRules))
    expect({ screen, appearance, findings }).toEqual({ screen, appearance, findings: [] })
  }
  const { width } = page.viewportSize()!
  for (const narrower of [width, 640, 320].filter(value => value <= width))
    expect({ screen, narrower, sideways: await scrollsSideways(page, narrower) }).toEqual({
      screen,
      narrower,
      sideways: false,
    })
}

describe.each(sizes)('at $size, light, dark and in forced colors', ({ trainee, context: size }) => {
  const openVisit = () => startVisit(product.browser, { ...size, reducedMotion: 'reduce' })

  test('sign-in, privacy, the admin’s login and the admin’s dashboard', async () => {
    const { page, context, pageErrors } = await openVisit()
    await page.goto(product.system.url)
    await page.getByText('Admin Access').waitFor()
    await checkScreen(page, 'sign-in')
    await page.goto(`${product.system.url}/profile?error=access_denied`)
    await page.getByText(/^Authentication error: The sign-in was cancelled/).waitFor()
    await checkScreen(page, 'callback')
    await page.goto(`${product.system.url}/?page=privacy`)
    await page.getByText('2 years').first().waitFor()
    await checkScreen(page, 'privacy')
    await page.goto(`${product.system.url}/verify`)
    await page.getByRole('button', { name: 'Choose file' }).waitFor()
    await checkScreen(page, 'verify')
    await page.goto(`${product.system.url}/admin`)
    await page.getByRole('button', { name: 'Sign in as Admin' }).waitFor()
    await checkScreen(page, 'admin login')
    await signInAsAdmin(page)
    await page.getByRole('button', { name: 'Refresh' }).waitFor()
    await checkScreen(page, 'admin: online')
    await page.getByRole('tab', { name: 'All Users' }).click()
    const manage = page.getByRole('button', { name: /^Manage(?!r)/ }).first()
    await manage.waitFor()
    await checkScreen(page, 'admin: users')
    expect(await findCutNames(page, 768)).toEqual([])
    await manage.click()
    await page.getByRole('button', { name: 'Save' }).waitFor()
    await checkScreen(page, 'admin: manage')
    await page.getByRole('button', { name: 'Erase…' }).click()
    await page.getByLabel(/^To confirm/).waitFor()
    await checkScreen(page, 'admin: erase')
    expect(pageErrors).toEqual([])
    await context.close()
  })

  test('the admin’s lists, requests, settings, audit log and import', async () => {
    const { page, context, pageErrors } = await openVisit()
    await page.goto(`${product.system.url}/admin`)
    await signInAsAdmin(page)
    await page.getByRole('tab', { name: 'Supervisors' }).click()
    await page
      .getByRole('button', { name: `Manage ${nameOf('supervisor1')}` })
      .first()
      .waitFor()
    await checkScreen(page, 'admin: supervisors')
    await page.getByRole('tab', { name: /^Managers/ }).click()
    await page.getByRole('button', { name: new RegExp(`^Approve the request of ${nameOf('manager2')}`) }).waitFor()
    await page
      .getByRole('button', { name: `Manage ${nameOf('manager1')}` })
      .first()
      .waitFor()
    await checkScreen(page, 'admin: managers')
    await page.getByRole('tab', { name: 'Reports' }).click()
    await page.getByRole('list', { name: 'Parts of the bars' }).waitFor()
    await checkScreen(page, 'admin: reports')
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByText('Connected').first().waitFor()
    await checkScreen(page, 'admin: settings')
    await page.getByRole('button', { name: 'Add a second factor…' }).click()
    await page.getByRole('radio', { name: 'Authenticator app' }).check()
    await page.getByRole('dialog').getByLabel('Your password').fill('watchline-demo')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Code from the app').waitFor()
    await checkScreen(page, 'admin: authenticator app')
    await page.goto(`${product.system.url}/admin?tab=settings&view=rules`)
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByLabel('contains').waitFor()
    await checkScreen(page, 'admin: claim rules')
    await page.goto(`${product.system.url}/admin?tab=settings&view=mails`)
    await page.getByLabel('Subject').waitFor()
    await checkScreen(page, 'admin: words of mails')
    await page.goto(`${product.system.url}/admin?tab=settings&view=audit`)
    await page.getByRole('checkbox', { name: 'Sign-ins' }).check()
    await page
      .getByText(/signed in\./)
      .first()
      .waitFor()
    await checkScreen(page, 'admin: audit log')
    await page.goto(`${product.system.url}/admin?tab=users&view=import`)
    const file = page.locator('input[type=file]')
    await file.waitFor({ state: 'attached' })
    await checkScreen(page, 'admin: import')
    const text = 'email,name,role\ntrainee1@demo.local,Trainee One,user\nnobody,Nobody,king\n'
    await file.setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await page.getByLabel('Problems by line').waitFor()
    await checkScreen(page, 'admin: import with problems')
    expect(pageErrors).toEqual([])
    await context.close()
  })

  test('the trainee’s dashboard, a monitored session and the own record', async () => {
    const { page, context, pageErrors } = await openVisit()
    await signIn(page, product.system.url, `${trainee}@demo.local`)
    const start = page.getByRole('button', { name: 'Start Monitoring Session' })
    await start.waitFor()
    await checkScreen(page, 'trainee')
    await start.click()
    await page.locator('[data-phase=playing]').waitFor()
    await checkScreen(page, 'session')
    // The next video would show its own transcript.
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    if (size.isMobile) await page.getByRole('tab', { name: 'Transcript' }).click()
    await page.getByRole('searchbox', { name: 'Search the transcript' }).fill('the')
    await page.getByText(/^\d+ lines? found$/).waitFor()
    await checkScreen(page, 'session: transcript')
    await page.getByRole('button', { name: 'Theatre view' }).click()
    await page.locator('[data-theatre]').waitFor()
    await checkScreen(page, 'session: theatre')
    await page.goto(`${product.system.url}/dashboard?page=record`)
    await page.getByText('Last watched').waitFor()
    await checkScreen(page, 'own record')
    expect(pageErrors).toEqual([])
    await context.close()
  })

  test('the supervisor’s dashboard', async () => {
    const { page, context, pageErrors } = await openVisit()
    await signIn(page, product.system.url, 'supervisor2@demo.local')
    // The form to assign is there only while somebody lacks the task.
    const [task] = await callApi(page, 'GET', '/supervisor/tasks')
    const team: { id: string; email: string }[] = await callApi(page, 'GET', '/users')
    const unassigned = team.filter(({ email }) => email === 'trainee9@demo.local').map(({ id }) => id)
    await callApi(page, 'DELETE', `/playlists/${task.id}/assign`, { assigned_users: unassigned })
    await page.getByRole('tab', { name: "Who's Online" }).click()
    await page.getByRole('button', { name: 'Refresh' }).waitFor()
    await checkScreen(page, 'supervisor: online')
    await page.getByRole('button', { name: /^Notifications/ }).click()
    await page.getByRole('dialog', { name: 'Notifications' }).getByRole('region').first().waitFor()
    await checkScreen(page, 'supervisor: bell')
    await page.keyboard.press('Escape')
    await page.getByRole('tab', { name: 'Team Members' }).click()
    await page.getByText('trainee7@demo.local').filter({ visible: true }).first().waitFor()
    await checkScreen(page, 'supervisor: team')
    await page.getByRole('tab', { name: 'Engagement' }).click()
    const member = page.getByRole('button', { name: nameOf('trainee7') }).first()
    await member.waitFor()
    await checkScreen(page, 'supervisor: engagement')
    await page.getByText('Tasks at risk', { exact: true }).click()
    await page.getByLabel('Due until').waitFor()
    await checkScreen(page, 'supervisor: tasks at risk')
    await page.getByText('People', { exact: true }).click()
    await member.click()
    await page.getByRole('dialog').getByText('Welcome and safety').first().waitFor()
    await checkScreen(page, 'supervisor: a member')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByRole('tab', { name: 'Playlists' }).click()
    await page.getByRole('button', { name: 'New playlist' }).click()
    await page.getByRole('button', { name: 'Create Playlist' }).waitFor()
    await checkScreen(page, 'supervisor: new playlist')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Create Playlist' }).waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Tasks Menu' }).click()
    await page
      .getByRole('button', { name: /^Start Task/ })
      .first()
      .waitFor()
    await checkScreen(page, 'supervisor: tasks')
    await page.getByRole('button', { name: `Assign: ${task.title}` }).click()
    const assigning = page.getByRole('dialog', { name: `Assign “${task.title}”` })
    await assigning.getByRole('textbox', { name: 'Note' }).waitFor()
    await checkScreen(page, 'supervisor: assign')
    await page.keyboard.press('Escape')
    await assigning.waitFor({ state: 'hidden' })
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.keyboard.press('Control+K')
    await page.getByRole('listbox', { name: 'Results' }).getByRole('option').first().waitFor()
    await checkScreen(page, 'supervisor: palette')
    await page.route('**/api/engagement/at-risk*', route => route.fulfill({ status: 500 }))
    await page.goto(`${product.system.url}/dashboard?tab=engagement&view=at-risk`)
    await page.getByText('Couldn’t load the tasks at risk.').waitFor()
    await checkScreen(page, 'supervisor: failed load')
    expect(pageErrors).toEqual([])
    await context.close()
  })

  test('answers that arrive late move no control of the supervisor’s dashboard', async () => {
    const { page, context } = await openVisit()
    await signIn(page, product.system.url, 'supervisor1@demo.local')
    const readMovedControls = await recordMovedControls(page)
    await delayAnswers(page)
    await page.goto(`${product.system.url}/dashboard?tab=engagement`)
    await page.getByText('Latest watching').waitFor()
    await page
      .getByRole('tabpanel')
      .getByRole('button', { name: nameOf('trainee1') })
      .first()
      .waitFor()
    await page.getByText('About this screen').waitFor()
    expect(await readMovedControls()).toEqual([])
    await context.close()
  })

  test('the director’s dashboard', async () => {
    const { page, context, pageErrors } = await openVisit()
    await signIn(page, product.system.url, 'director1@demo.local')
    await page.getByRole('heading', { name: 'Director Dashboard' }).waitFor()
    await page.getByRole('tab', { name: "Who's Online" }).click()
    await page.getByRole('button', { name: 'Refresh' }).waitFor()
    await checkScreen(page, 'director: online')
    await page.getByRole('tab', { name: 'Team Members' }).click()
    await page.getByText('supervisor1@demo.local').filter({ visible: true }).first().waitFor()
    await checkScreen(page, 'director: team')
    await page.getByRole('tab', { name: 'Playlists' }).click()
    await page.getByRole('button', { name: 'Welcome and safety' }).first().waitFor()
    await checkScreen(page, 'director: playlists')
    await page.getByRole('button', { name: 'Welcome and safety' }).first().click()
    await page.getByRole('button', { name: 'Due dates' }).click()
    await page
      .getByRole('dialog', { name: /^Due dates of/ })
      .getByRole('textbox', { name: 'Due date' })
      .waitFor()
    await checkScreen(page, 'director: due dates')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: /^Due dates of/ }).waitFor({ state: 'hidden' })
    await checkScreen(page, 'director: a playlist')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByRole('tab', { name: 'Groups' }).click()
    await page.getByRole('button', { name: 'Warehouse' }).click()
    await page.getByRole('dialog').getByText('Chosen by hand').waitFor()
    await checkScreen(page, 'director: a group')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('tab', { name: 'Engagement' }).click()
    await page.getByText('Reports', { exact: true }).click()
    await page.getByRole('button', { name: 'Print' }).waitFor()
    await page.getByLabel('Report', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Save this report…' }).click()
    const saving = page.getByRole('dialog')
    await saving.getByText(/has no mail server/).waitFor()
    await saving.getByLabel('Name').fill('Everything by playlist')
    await checkScreen(page, 'director: save a report')
    await saving.getByRole('button', { name: 'Save' }).click()
    await saving.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Change… Everything by playlist' }).first().waitFor()
    await checkScreen(page, 'director: reports')
    expect(pageErrors).toEqual([])
    await context.close()
  })

  test('the manager’s supervisors with their teams, both dialogs, team analytics and online people', async () => {
    const { page, context, pageErrors } = await openVisit()
    await signIn(page, product.system.url, 'manager1@demo.local')
    await page.getByRole('button', { name: nameOf('supervisor1') }).click()
    await page.getByText(nameOf('trainee1'), { exact: true }).first().waitFor()
    await checkScreen(page, 'manager')
    const dialogs = { 'Request Supervisor': nameOf('supervisor4'), 'Share Playlist': nameOf('supervisor2') }
    for (const [name, offered] of Object.entries(dialogs)) {
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByRole('dialog', { name }).getByText(offered, { exact: true }).waitFor()
      await checkScreen(page, `manager: ${name}`)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await page.getByRole('tab', { name: 'Team Analytics' }).click()
    await page.getByRole('img', { name: /Bar chart/ }).waitFor()
    await checkScreen(page, 'manager: team analytics')
    await page.getByRole('tab', { name: /Online/ }).click()
    await page.getByRole('button', { name: 'Refresh' }).waitFor()
    await checkScreen(page, 'manager: online')
    expect(pageErrors).toEqual([])
    await context.close()
  })
})

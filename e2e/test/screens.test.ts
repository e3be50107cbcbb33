import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { nameOf } from '../../tools/src/demo/people.ts'
import { findAccessibilityFaults, findAxeFaults, scrollsSideways } from '../src/accessibility.ts'
import { callApi } from '../src/api.ts'
import { controlSize, type ScreenSize, signIn, startVisit, type Visit, waitForAnimations } from '../src/browser.ts'
import { delayAnswers, recordMovedControls } from '../src/late-answers.ts'
import { useProduct } from '../src/running-product.ts'

const product = useProduct({ demo: true })

/** A desktop, and a phone with a touch screen. */
const sizes = {
  desktop: { width: 1280, height: 800, isMobile: false },
  phone: { width: 390, height: 844, isMobile: true },
}

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
async function findCutNames({ page, size, setSize }: SizedVisit, width: number): Promise<string[]> {
  await setSize({ ...size, width })
  const names = page.getByRole('table').locator('tbody [title]')
  const cutNames = await names.evaluateAll(elements =>
    elements.filter(element => element.scrollWidth > element.clientWidth).map(element => element.textContent ?? ''),
  )
  await setSize(size)
  return cutNames
}

/** Axe's rules that depend on colors. */
const colorRules = ['color-contrast', 'link-in-text-block']

const appearances = [
  { appearance: 'light', scheme: 'light', forcedColors: 'none' },
  { appearance: 'dark', scheme: 'dark', forcedColors: 'none' },
  { appearance: 'forced colors', scheme: 'dark', forcedColors: 'active' },
] as const

interface SizedVisit extends Visit {
  /** The size in which the screens of the visit are loaded. */
  size: ScreenSize
  setSize(size: ScreenSize): Promise<void>
}

/** Opens a person's own browser, which can change into a phone and back. */
async function openVisit(size: ScreenSize): Promise<SizedVisit> {
  const visit = await startVisit(product.browser, { reducedMotion: 'reduce' })
  const setSize = await controlSize(visit.page)
  await setSize(size)
  return { ...visit, size, setSize }
}

/**
 * Checks the screen on the desktop and on the phone: two engines find no fault, targets are large
 * enough, and the page never scrolls sideways, neither at 200 % zoom (640 pixels) nor at 320
 * pixels. The appearances differ in colors only, so all but the first need only the rules for
 * colors.
 */
async function checkScreen({ page, size, setSize }: SizedVisit, screen: string) {
  for (const shownSize of size.isMobile ? [sizes.phone, sizes.desktop] : [sizes.desktop, sizes.phone]) {
    await setSize(shownSize)
    const { width } = shownSize
    for (const { appearance, scheme, forcedColors } of appearances) {
      await page.emulateMedia({ colorScheme: scheme, forcedColors })
      await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor()
      // Screens are checked after their animations.
      await waitForAnimations(page)
      const findings = await (appearance === 'light' ? findAccessibilityFaults(page) : findAxeFaults(page, colorRules))
      expect({ screen, width, appearance, findings }).toEqual({ screen, width, appearance, findings: [] })
    }
    for (const narrower of [width, 640, 320].filter(value => value <= width)) {
      if (narrower < width) await setSize({ ...shownSize, width: narrower })
      expect({ screen, narrower, sideways: await scrollsSideways(page) }).toEqual({ screen, narrower, sideways: false })
    }
  }
  await setSize(size)
}

// Some visits begin on the phone: a screen may also be loaded there.
describe('at 1280 and 390 pixels, light, dark and in forced colors', () => {
  test('sign-in, privacy, the admin’s login and the admin’s dashboard', async () => {
    const visit = await openVisit(sizes.desktop)
    const { page, context, pageErrors } = visit
    await page.goto(product.system.url)
    await page.getByText('Admin Access').waitFor()
    await checkScreen(visit, 'sign-in')
    await page.goto(`${product.system.url}/profile?error=access_denied`)
    await page.getByText(/^Authentication error: The sign-in was cancelled/).waitFor()
    await checkScreen(visit, 'callback')
    await page.goto(`${product.system.url}/?page=privacy`)
    await page.getByText('2 years').first().waitFor()
    await checkScreen(visit, 'privacy')
    await page.goto(`${product.system.url}/verify`)
    await page.getByRole('button', { name: 'Choose file' }).waitFor()
    await checkScreen(visit, 'verify')
    await page.goto(`${product.system.url}/admin`)
    await page.getByRole('button', { name: 'Sign in as Admin' }).waitFor()
    await checkScreen(visit, 'admin login')
    await signInAsAdmin(page)
    await page.getByRole('button', { name: 'Refresh' }).waitFor()
    await checkScreen(visit, 'admin: online')
    await page.getByRole('tab', { name: 'All Users' }).click()
    const manage = page.getByRole('button', { name: /^Manage(?!r)/ }).first()
    await manage.waitFor()
    await checkScreen(visit, 'admin: users')
    expect(await findCutNames(visit, 768)).toEqual([])
    await manage.click()
    await page.getByRole('button', { name: 'Save' }).waitFor()
    await checkScreen(visit, 'admin: manage')
    await page.getByRole('button', { name: 'Erase…' }).click()
    await page.getByLabel(/^To confirm/).waitFor()
    await checkScreen(visit, 'admin: erase')
    expect(pageErrors).toEqual([])
    await context.close()
  })

  test('the admin’s lists, requests, settings, audit log and import', async () => {
    const visit = await openVisit(sizes.desktop)
    const { page, context, pageErrors } = visit
    await page.goto(`${product.system.url}/admin`)
    await signInAsAdmin(page)
    await page.getByRole('tab', { name: 'Supervisors' }).click()
    await page
      .getByRole('button', { name: `Manage ${nameOf('supervisor1')}` })
      .first()
      .waitFor()
    await checkScreen(visit, 'admin: supervisors')
    await page.getByRole('tab', { name: /^Managers/ }).click()
    await page.getByRole('button', { name: new RegExp(`^Approve the request of ${nameOf('manager2')}`) }).waitFor()
    await page
      .getByRole('button', { name: `Manage ${nameOf('manager1')}` })
      .first()
      .waitFor()
    await checkScreen(visit, 'admin: managers')
    await page.getByRole('tab', { name: 'Reports' }).click()
    await page.getByRole('list', { name: 'Parts of the bars' }).waitFor()
    await checkScreen(visit, 'admin: reports')
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByText('Connected').first().waitFor()
    await checkScreen(visit, 'admin: settings')
    await page.getByRole('button', { name: 'Add a second factor…' }).click()
    await page.getByRole('radio', { name: 'Authenticator app' }).check()
    await page.getByRole('dialog').getByLabel('Your password').fill('watchline-demo')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Code from the app').waitFor()
    await checkScreen(visit, 'admin: authenticator app')
    await page.goto(`${product.system.url}/admin?tab=settings&view=rules`)
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByLabel('contains').waitFor()
    await checkScreen(visit, 'admin: claim rules')
    await page.goto(`${product.system.url}/admin?tab=settings&view=mails`)
    await page.getByLabel('Subject').waitFor()
    await checkScreen(visit, 'admin: words of mails')
    await page.goto(`${product.system.url}/admin?tab=settings&view=audit`)
    await page.getByRole('checkbox', { name: 'Sign-ins' }).check()
    await page
      .getByText(/signed in\./)
      .first()
      .waitFor()
    await checkScreen(visit, 'admin: audit log')
    await page.goto(`${product.system.url}/admin?tab=users&view=import`)
    const file = page.locator('input[type=file]')
    await file.waitFor({ state: 'attached' })
    await checkScreen(visit, 'admin: import')
    const text = 'email,name,role\ntrainee1@demo.local,Trainee One,user\nnobody,Nobody,king\n'
    await file.setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await page.getByLabel('Problems by line').waitFor()
    await checkScreen(visit, 'admin: import with problems')
    expect(pageErrors).toEqual([])
    await context.close()
  })

  test('the trainee’s dashboard, a monitored session and the own record', async () => {
    const visit = await openVisit(sizes.phone)
    const { page, context, pageErrors } = visit
    await signIn(page, product.system.url, 'trainee7@demo.local')
    const start = page.getByRole('button', { name: 'Start Monitoring Session' })
    await start.waitFor()
    await checkScreen(visit, 'trainee')
    await start.click()
    await page.locator('[data-phase=playing]').waitFor()
    await checkScreen(visit, 'session')
    // The next video would show its own transcript.
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByRole('tab', { name: 'Transcript' }).click()
    await page.getByRole('searchbox', { name: 'Search the transcript' }).fill('the')
    await page.getByText(/^\d+ lines? found$/).waitFor()
    await checkScreen(visit, 'session: transcript')
    await page.getByRole('button', { name: 'Theatre view' }).click()
    await page.locator('[data-theatre]').waitFor()
    await checkScreen(visit, 'session: theatre')
    await page.goto(`${product.system.url}/dashboard?page=record`)
    await page.getByRole('region', { name: 'Watch record', exact: true }).waitFor()
    await checkScreen(visit, 'own record')
    expect(pageErrors).toEqual([])
    await context.close()
  })

  test('the supervisor’s dashboard', async () => {
    const visit = await openVisit(sizes.phone)
    const { page, context, pageErrors } = visit
    await signIn(page, product.system.url, 'supervisor2@demo.local')
    // The form to assign is there only while somebody lacks the task.
    const [task] = await callApi(page, 'GET', '/supervisor/tasks')
    const team: { id: string; email: string }[] = await callApi(page, 'GET', '/users')
    const unassigned = team.filter(({ email }) => email === 'trainee9@demo.local').map(({ id }) => id)
    await callApi(page, 'DELETE', `/playlists/${task.id}/assign`, { assigned_users: unassigned })
    await page.getByRole('tab', { name: "Who's Online" }).click()
    await page.getByRole('button', { name: 'Refresh' }).waitFor()
    await checkScreen(visit, 'supervisor: online')
    await page.getByRole('button', { name: /^Notifications/ }).click()
    await page.getByRole('dialog', { name: 'Notifications' }).getByRole('region').first().waitFor()
    await checkScreen(visit, 'supervisor: bell')
    await page.keyboard.press('Escape')
    await page.getByRole('tab', { name: 'Team Members' }).click()
    await page.getByText('trainee7@demo.local').filter({ visible: true }).first().waitFor()
    await checkScreen(visit, 'supervisor: team')
    await page.getByRole('tab', { name: 'Engagement' }).click()
    const member = page.getByRole('button', { name: nameOf('trainee7') }).first()
    await member.waitFor()
    await checkScreen(visit, 'supervisor: engagement')
    await page.getByText('Tasks at risk', { exact: true }).click()
    await page.getByLabel('Due until').waitFor()
    await checkScreen(visit, 'supervisor: tasks at risk')
    await page.getByText('People', { exact: true }).click()
    await member.click()
    await page.getByRole('dialog').getByText('Welcome and safety').first().waitFor()
    await checkScreen(visit, 'supervisor: a member')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByRole('tab', { name: 'Playlists' }).click()
    await page.getByRole('button', { name: 'New playlist' }).click()
    await page.getByRole('button', { name: 'Create Playlist' }).waitFor()
    await checkScreen(visit, 'supervisor: new playlist')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Create Playlist' }).waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Tasks Menu' }).click()
    await page
      .getByRole('button', { name: /^Start Task/ })
      .first()
      .waitFor()
    await checkScreen(visit, 'supervisor: tasks')
    await page.getByRole('button', { name: `Assign: ${task.title}` }).click()
    const assigning = page.getByRole('dialog', { name: `Assign “${task.title}”` })
    await assigning.getByRole('textbox', { name: 'Note' }).waitFor()
    await checkScreen(visit, 'supervisor: assign')
    await page.keyboard.press('Escape')
    await assigning.waitFor({ state: 'hidden' })
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.keyboard.press('Control+K')
    await page.getByRole('listbox', { name: 'Results' }).getByRole('option').first().waitFor()
    await checkScreen(visit, 'supervisor: palette')
    await page.route('**/api/engagement/at-risk*', route => route.fulfill({ status: 500 }))
    await page.goto(`${product.system.url}/dashboard?tab=engagement&view=at-risk`)
    await page.getByText('Couldn’t load the tasks at risk.').waitFor()
    await checkScreen(visit, 'supervisor: failed load')
    expect(pageErrors).toEqual([])
    await context.close()
  })

  test('the director’s dashboard', async () => {
    const visit = await openVisit(sizes.desktop)
    const { page, context, pageErrors } = visit
    await signIn(page, product.system.url, 'director1@demo.local')
    await page.getByRole('heading', { name: 'Director Dashboard' }).waitFor()
    await page.getByRole('tab', { name: "Who's Online" }).click()
    await page.getByRole('button', { name: 'Refresh' }).waitFor()
    await checkScreen(visit, 'director: online')
    await page.getByRole('tab', { name: 'Team Members' }).click()
    await page.getByText('supervisor1@demo.local').filter({ visible: true }).first().waitFor()
    await checkScreen(visit, 'director: team')
    await page.getByRole('tab', { name: 'Playlists' }).click()
    await page.getByRole('button', { name: 'Welcome and safety' }).first().waitFor()
    await checkScreen(visit, 'director: playlists')
    await page.getByRole('button', { name: 'Welcome and safety' }).first().click()
    await page.getByRole('button', { name: 'Due dates' }).click()
    await page
      .getByRole('dialog', { name: /^Due dates of/ })
      .getByRole('textbox', { name: 'Due date' })
      .waitFor()
    await checkScreen(visit, 'director: due dates')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: /^Due dates of/ }).waitFor({ state: 'hidden' })
    await checkScreen(visit, 'director: a playlist')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByRole('tab', { name: 'Groups' }).click()
    await page.getByRole('button', { name: 'Warehouse' }).click()
    await page.getByRole('dialog').getByText('Chosen by hand').waitFor()
    await checkScreen(visit, 'director: a group')
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
    await checkScreen(visit, 'director: save a report')
    await saving.getByRole('button', { name: 'Save' }).click()
    await saving.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Change… Everything by playlist' }).first().waitFor()
    await checkScreen(visit, 'director: reports')
    expect(pageErrors).toEqual([])
    await context.close()
  })

  test('the manager’s supervisors with their teams, both dialogs, team analytics and online people', async () => {
    const visit = await openVisit(sizes.desktop)
    const { page, context, pageErrors } = visit
    await signIn(page, product.system.url, 'manager1@demo.local')
    await page.getByRole('button', { name: nameOf('supervisor1') }).click()
    await page.getByText(nameOf('trainee1'), { exact: true }).first().waitFor()
    await checkScreen(visit, 'manager')
    const dialogs = { 'Request Supervisor': nameOf('supervisor4'), 'Share Playlist': 'Or a playlist from YouTube' }
    for (const [name, offered] of Object.entries(dialogs)) {
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByRole('dialog', { name }).getByText(offered, { exact: true }).waitFor()
      await checkScreen(visit, `manager: ${name}`)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await page.getByRole('tab', { name: 'Team Analytics' }).click()
    await page.getByRole('img', { name: /Bar chart/ }).waitFor()
    await checkScreen(visit, 'manager: team analytics')
    await page.getByRole('tab', { name: /Online/ }).click()
    await page.getByRole('button', { name: 'Refresh' }).waitFor()
    await checkScreen(visit, 'manager: online')
    expect(pageErrors).toEqual([])
    await context.close()
  })
})

/** The first screen of each role, and the content that it shows last. */
const firstScreens = [
  {
    role: 'trainee',
    person: 'trainee8',
    path: '/dashboard',
    findContent: (page: Page) => page.getByRole('button', { name: 'Start Monitoring Session' }),
  },
  {
    role: 'supervisor',
    person: 'supervisor1',
    path: '/dashboard?tab=engagement',
    findContent: (page: Page) => page.getByRole('tabpanel').getByRole('button', { name: nameOf('trainee1') }),
  },
  {
    role: 'manager',
    person: 'manager1',
    path: '/dashboard',
    findContent: (page: Page) => page.getByRole('button', { name: nameOf('supervisor1') }),
  },
  {
    role: 'director',
    person: 'director1',
    path: '/dashboard',
    findContent: (page: Page) => page.getByText('supervisor1@demo.local').filter({ visible: true }),
  },
  {
    role: 'admin',
    person: undefined,
    path: '/admin',
    findContent: (page: Page) => page.getByRole('button', { name: 'Refresh' }),
  },
]

/** Waits until nothing on the screen is loading, and nothing waits for what is. */
async function waitUntilLoaded(page: Page) {
  await page.waitForFunction(
    () => document.querySelector('main [role=status][aria-label=Loading], main [data-waits]') === null,
  )
}

describe('answers that arrive late', () => {
  test.each(firstScreens)('move no control of the first screen of a $role', async ({ person, path, findContent }) => {
    const { page, context, setSize } = await openVisit(sizes.desktop)
    if (person) await signIn(page, product.system.url, `${person}@demo.local`)
    else {
      await page.goto(`${product.system.url}/admin`)
      await signInAsAdmin(page)
    }
    const readMovedControls = await recordMovedControls(page)
    await delayAnswers(page)
    for (const size of Object.values(sizes)) {
      await setSize(size)
      await page.goto(product.system.url + path)
      await findContent(page).first().waitFor()
      await page.getByRole('heading', { name: 'About this screen' }).waitFor()
      await waitUntilLoaded(page)
      expect({ width: size.width, moved: await readMovedControls() }).toEqual({ width: size.width, moved: [] })
    }
    await context.close()
  })

  test('leave the help of a screen on top, where a newcomer begins', async () => {
    const { page, context } = await openVisit(sizes.desktop)
    await signIn(page, product.system.url, 'supervisor2@demo.local')
    const readMovedControls = await recordMovedControls(page)
    const release = Promise.withResolvers<void>()
    await page.route('**/api/users?*', async route => {
      await release.promise
      await route.continue()
    })
    await page.goto(`${product.system.url}/dashboard`)
    const help = page.getByRole('region', { name: 'About this screen' })
    await help.waitFor()
    await page.getByRole('main').getByRole('status', { name: 'Loading' }).first().waitFor()
    const place = await help.boundingBox()
    const heading = await page.getByRole('heading', { level: 1 }).boundingBox()
    expect(place!.y + place!.height).toBeLessThan(heading!.y)
    release.resolve()
    await page.getByText('trainee7@demo.local').filter({ visible: true }).first().waitFor()
    await waitUntilLoaded(page)
    expect(await readMovedControls()).toEqual([])
    expect(await help.boundingBox()).toEqual(place)
    await context.close()
  })
})

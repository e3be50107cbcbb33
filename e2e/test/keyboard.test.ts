import { afterEach, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { nameOf } from '../../tools/src/demo/people.ts'
import { callApi } from '../src/api.ts'
import { maxSignInTries, signIn, startVisit, type Visit } from '../src/browser.ts'
import { openTab, pressEnterOn, tabTo, waitForFocus, waitForKeptFocus } from '../src/keyboard.ts'
import { useProduct } from '../src/running-product.ts'

// These journeys never use a mouse, and never move the focus by script.
const product = useProduct({ demo: true })
const visits: Visit[] = []

afterEach(async () => {
  for (const { context, pageErrors } of visits.splice(0)) {
    expect(pageErrors).toEqual([])
    await context.close()
  }
})

async function openPage(): Promise<Page> {
  const visit = await startVisit(product.browser, { reducedMotion: 'reduce' })
  visits.push(visit)
  return visit.page
}

async function signInAs(email: string): Promise<Page> {
  const page = await openPage()
  await signIn(page, product.system.url, email)
  return page
}

/** Tries again when the provider's answer came too late, as on a busy machine. */
async function signInByKeyboard(page: Page, email: string, tries = maxSignInTries): Promise<void> {
  await pressEnterOn(page, page.getByRole('link', { name: /^Sign in with/ }))
  await page.getByLabel('Email address').waitFor()
  await tabTo(page, page.getByLabel('Email address'))
  await page.keyboard.type(email)
  await page.keyboard.press('Enter')
  // A failed sign-in ends on the sign-in page.
  await page.waitForURL(({ pathname }) => pathname === '/dashboard' || pathname === '/')
  if (new URL(page.url()).pathname === '/dashboard') return
  if (tries === 1) throw new Error(`Nobody was signed in: ${await page.getByRole('main').textContent()}`)
  await signInByKeyboard(page, email, tries - 1)
}

test('a trainee signs in, watches, pauses, comments and leaves', async () => {
  const page = await openPage()
  await page.goto(product.system.url)
  await signInByKeyboard(page, 'trainee13@demo.local')

  await pressEnterOn(page, page.getByRole('button', { name: 'Start Monitoring Session' }))
  await page.locator('[data-phase=playing]').waitFor()
  await waitForKeptFocus(page)
  await pressEnterOn(page, page.getByRole('button', { name: 'Pause' }))
  await page.locator('[data-phase=paused]').waitFor()
  await waitForFocus(page.getByRole('button', { name: 'Play', exact: true }))

  await tabTo(page, page.getByLabel(/Comment at:/))
  await page.keyboard.type('Which door is the exit?')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('listitem').filter({ hasText: 'Which door is the exit?' }).waitFor()
  await waitForFocus(page.getByLabel(/Comment at:/))

  await pressEnterOn(page, page.getByRole('button', { name: 'Back to Dashboard' }), 'Shift+Tab')
  await page.getByRole('heading', { name: 'Today’s Task' }).waitFor()
  expect(await waitForKeptFocus(page)).toMatch(/^main/)
})

test('a supervisor opens a person, answers a comment and assigns a playlist', async () => {
  // A supervisor without a manager, who assigns own playlists.
  const page = await signInAs('supervisor4@demo.local')
  await page.getByRole('heading', { name: 'Supervisor Dashboard' }).waitFor()
  const trainee = await signInAs('trainee20@demo.local')
  const { id: playlistId, videos } = await callApi(trainee, 'GET', '/playlists/today')
  await callApi(trainee, 'POST', '/comments', {
    playlist_id: playlistId,
    video_id: videos[0].id,
    timestamp: 2,
    comment: 'May I open this window?',
  })
  await callApi(page, 'POST', '/playlists', { title: 'Open windows', videos })

  await openTab(page, 'Team Members')
  const person = page.getByRole('row').getByRole('button', { name: nameOf('trainee20') })
  await pressEnterOn(page, person)
  await page.getByRole('dialog').getByText('Completed videos').first().waitFor()
  await waitForKeptFocus(page)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await waitForFocus(person)

  await pressEnterOn(page, page.getByRole('button', { name: /^Notifications, .* [1-9]\d* to review/ }), 'Shift+Tab')
  const menu = page.getByRole('dialog').filter({ hasText: 'Notifications' })
  await pressEnterOn(page, menu.getByRole('button', { name: /^Add a reply/ }).first())
  await waitForFocus(menu.getByLabel(`Your reply to ${nameOf('trainee20')}`))
  await page.keyboard.type('Only in summer.')
  await pressEnterOn(page, menu.getByRole('button', { name: /^Reject with reply/ }))
  await menu.getByRole('blockquote').filter({ hasText: 'Only in summer.' }).waitFor()
  await waitForKeptFocus(page)
  await page.keyboard.press('Escape')
  await waitForFocus(page.getByRole('button', { name: /^Notifications/ }))

  await pressEnterOn(page, page.getByRole('button', { name: 'Tasks Menu' }), 'Shift+Tab')
  const tasks = page.getByRole('dialog', { name: 'Tasks Menu' })
  const assignButton = tasks.getByRole('button', { name: 'Assign: Open windows' })
  await pressEnterOn(page, assignButton)
  const assignDialog = page.getByRole('dialog', { name: /^Assign / })
  await tabTo(page, assignDialog.getByRole('checkbox', { name: new RegExp(nameOf('trainee20')) }))
  await page.keyboard.press('Space')
  await pressEnterOn(page, assignDialog.getByRole('button', { name: 'Assign to 1 person' }))
  await page.getByText('Task assigned to 1 team member(s) successfully!').waitFor()
  await waitForFocus(assignButton)
})

test('a manager requests a supervisor and withdraws the request', async () => {
  const page = await signInAs('manager2@demo.local')
  const openButton = page.getByRole('button', { name: 'Request Supervisor' }).first()
  await pressEnterOn(page, openButton)
  const dialog = page.getByRole('dialog', { name: 'Request Supervisor' })
  await tabTo(page, dialog.getByRole('radio'))
  await page.keyboard.press('Space')
  await tabTo(page, dialog.getByLabel(/Reason/))
  await page.keyboard.type('We share a floor.')
  await pressEnterOn(page, dialog.getByRole('button', { name: 'Submit Request' }))
  await page.getByText('Supervisor request submitted for admin approval!').waitFor()
  await waitForFocus(openButton)

  await pressEnterOn(page, page.getByRole('button', { name: /^Withdraw the request for/ }))
  await page.getByText('You withdrew this request.').first().waitFor()
  await waitForKeptFocus(page)
})

test('a director narrows the people to a role', async () => {
  const page = await signInAs('director1@demo.local')
  await openTab(page, 'Team Members')
  const filter = page.getByLabel('Role', { exact: true })
  await tabTo(page, filter)
  // The first letter chooses an option of a list.
  await page.keyboard.type('M')
  await page.getByText('manager1@demo.local').filter({ visible: true }).first().waitFor()
  await page.getByText('trainee1@demo.local').filter({ visible: true }).waitFor({ state: 'detached' })
  await waitForFocus(filter)
})

test('an administrator signs in and changes a role', async () => {
  const page = await openPage()
  await page.goto(`${product.system.url}/admin`)
  await page.getByRole('button', { name: 'Sign in as Admin' }).waitFor()
  await tabTo(page, page.getByLabel(/email/i))
  await page.keyboard.type('admin@demo.local')
  await tabTo(page, page.getByLabel('Password', { exact: true }))
  await page.keyboard.type('watchline-demo')
  await page.keyboard.press('Enter')
  await page.getByRole('tab', { name: 'All Users' }).waitFor()
  expect(await waitForKeptFocus(page)).toMatch(/^main/)

  await openTab(page, 'All Users')
  await tabTo(page, page.getByRole('searchbox'))
  await page.keyboard.type('trainee24@demo.local')
  const manage = page.getByRole('button', { name: `Manage ${nameOf('trainee24')}` })
  await pressEnterOn(page, manage)
  const panel = page.getByRole('dialog')
  await tabTo(page, panel.getByLabel('Role'))
  await page.keyboard.type('S')
  await pressEnterOn(page, panel.getByRole('button', { name: 'Save' }))
  await page.getByText(`${nameOf('trainee24')} is now a supervisor`).waitFor()
  await waitForKeptFocus(page)
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'hidden' })
  await waitForFocus(manage)
})

import { afterEach, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { nameOf } from '../../tools/src/demo/people.ts'
import { findAccessibilityFaults } from '../src/accessibility.ts'
import { signIn, startVisit, type Visit, waitForBriefText } from '../src/browser.ts'
import { useProduct } from '../src/running-product.ts'

const product = useProduct({ demo: true })
const visits: Visit[] = []

afterEach(async () => {
  for (const { context, pageErrors } of visits.splice(0)) {
    expect(pageErrors).toEqual([])
    await context.close()
  }
})

async function signInAs(email: string, options?: BrowserContextOptions) {
  const visit = await startVisit(product.browser, options)
  visits.push(visit)
  await signIn(visit.page, product.system.url, email)
  return { ...visit, chat: chatOf(visit.page) }
}

/** One person's chat, used by keyboard only. */
function chatOf(page: Page) {
  const button = (unread?: number) =>
    page.getByRole('button', { name: unread === undefined ? /^Chat(,|$)/ : `Chat, ${unread} unread`, exact: true })
  const window = (name: string) => page.getByRole('region', { name: `Chat with ${name}`, exact: true })
  const focusedLabel = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
  return {
    button,
    window,
    focusedLabel,
    message: (name: string, text: string) => window(name).getByRole('listitem').filter({ hasText: text }),
    /** Opens a person's window from the list, by search. */
    async openWindow(name: string) {
      await button().focus()
      await page.keyboard.press('Enter')
      const list = page.getByRole('dialog', { name: 'Chat', exact: true })
      await list.getByRole('searchbox').waitFor()
      await eventually(async () => expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT'))
      await page.keyboard.type(name)
      const row = list.getByRole('button', { name: new RegExp(`^\\W*${name}(?![\\p{L}\\d])`, 'u') })
      await eventually(async () =>
        expect(await list.getByRole('button', { name: /@|Draft|ago|Just now/ }).count()).toBe(1),
      )
      await row.focus()
      await page.keyboard.press('Enter')
      await eventually(async () => expect(await focusedLabel()).toBe(`Message to ${name}`))
    },
    /** Writes into the focused field. */
    async writeMessage(text: string) {
      await page.keyboard.type(text)
      await page.keyboard.press('Enter')
    },
  }
}

test('a trainee and their supervisor talk by keyboard only, and both see unread and seen messages', async () => {
  const supervisor = await signInAs('supervisor4@demo.local')
  const trainee = await signInAs('trainee19@demo.local')
  await supervisor.chat.button(0).waitFor()

  await trainee.chat.openWindow(nameOf('supervisor4'))
  await trainee.chat.writeMessage('Where is the second exit? See https://example.org/plan.')
  await trainee.chat.writeMessage('It is on no plan of mine.')
  await supervisor.chat.button(2).waitFor()
  await trainee.chat.button(0).waitFor()

  await supervisor.chat.openWindow(nameOf('trainee19'))
  await supervisor.chat.button(0).waitFor()
  await trainee.chat.message(nameOf('supervisor4'), 'It is on no plan of mine.').getByText('Seen').waitFor()
  const link = supervisor.chat
    .window(nameOf('trainee19'))
    .getByRole('link', { name: 'https://example.org/plan', exact: true })
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer')

  await Promise.all([
    waitForBriefText(trainee.page, `${nameOf('supervisor4')} is writing…`),
    supervisor.page.keyboard.type('Behind'),
  ])
  await supervisor.page.keyboard.press('Shift+Enter')
  await supervisor.chat.writeMessage('the stairs.')
  await trainee.chat.message(nameOf('supervisor4'), 'Behind\nthe stairs.').waitFor()
  await supervisor.chat.message(nameOf('trainee19'), 'the stairs.').getByText('Seen').waitFor()
  expect(await supervisor.page.getByText('is writing').count()).toBe(0)
  expect(await trainee.chat.focusedLabel()).toBe(`Message to ${nameOf('supervisor4')}`)

  // Messages to a minimised window are unread, on its tab and in the total.
  await trainee.page.keyboard.press('Escape')
  await supervisor.chat.writeMessage('Did you find it?')
  await trainee.chat.button(1).waitFor()
  await trainee.page
    .getByRole('button', { name: new RegExp(`^Open chat with ${nameOf('supervisor4')}.*1 unread`) })
    .waitFor()
  await trainee.page.keyboard.press('Enter')
  await trainee.chat.button(0).waitFor()
  await trainee.chat.window(nameOf('supervisor4')).getByText('New', { exact: true }).waitFor()
  expect(await trainee.chat.focusedLabel()).toBe(`Message to ${nameOf('supervisor4')}`)
  for (const { page } of [supervisor, trainee]) expect(await findAccessibilityFaults(page)).toEqual([])

  const exported = await trainee.page.request.get(
    (await trainee.chat
      .window(nameOf('supervisor4'))
      .getByRole('link', { name: /^Export/ })
      .getAttribute('href'))!,
  )
  expect(await exported.text()).toMatch(
    new RegExp(
      `${nameOf('trainee19')}: Where is the second exit.*${nameOf('supervisor4')}: Behind\\n +the stairs\\.`,
      's',
    ),
  )
})

test('windows and drafts survive the start of a session and a reload; the player ignores the keys', async () => {
  const trainee = await signInAs('trainee20@demo.local')
  await trainee.chat.openWindow(nameOf('supervisor4'))
  await trainee.page.keyboard.type('Half a thou')
  await trainee.page.getByRole('button', { name: /Start Monitoring Session|Continue with/ }).click()
  await trainee.page.locator('[data-phase=playing]').waitFor()
  const field = trainee.page.getByRole('textbox', { name: `Message to ${nameOf('supervisor4')}` })
  expect(await field.inputValue()).toBe('Half a thou')
  await field.focus()
  const readPosition = () => trainee.page.evaluate(() => document.querySelector('video')!.currentTime)
  const before = await readPosition()
  await trainee.page.keyboard.type(' k k ')
  await trainee.page.keyboard.press('ArrowLeft')
  expect(await readPosition()).toBeGreaterThanOrEqual(before)
  expect(await trainee.page.locator('[data-phase=playing]').count()).toBe(1)

  await trainee.page.reload()
  await trainee.page.getByRole('button', { name: 'Back to Dashboard' }).waitFor()
  expect(await field.inputValue()).toBe('Half a thou k k ')
  await field.focus()
  await trainee.page.keyboard.press('Escape')
  await trainee.page.getByRole('button', { name: 'Back to Dashboard' }).click()
  await trainee.page.getByRole('heading', { level: 1, name: /Welcome/ }).waitFor()
  await trainee.page.getByRole('button', { name: new RegExp(`^Open chat with ${nameOf('supervisor4')}`) }).waitFor()
})

test('messages written offline survive a reload and are sent once, in order', async () => {
  const supervisor = await signInAs('supervisor4@demo.local')
  const trainee = await signInAs('trainee21@demo.local')
  await trainee.chat.openWindow(nameOf('supervisor4'))
  await trainee.chat.writeMessage('Before')
  await supervisor.chat.openWindow(nameOf('trainee21'))
  await supervisor.chat.message(nameOf('trainee21'), 'Before').waitFor()

  await trainee.context.setOffline(true)
  for (const text of ['One', 'Two', 'Three']) await trainee.chat.writeMessage(text)
  await trainee.page.keyboard.type('Not finis')
  const unsent = trainee.chat.window(nameOf('supervisor4')).locator('[data-unsent=failed]')
  await eventually(async () => expect(await unsent.count()).toBe(3))
  await supervisor.chat.writeMessage('Are you there?')
  const sent = supervisor.chat.message(nameOf('trainee21'), 'Are you there?')
  await sent.and(supervisor.page.locator('li:not([data-unsent])')).waitFor()

  // The network is back, but the service is still unreachable.
  await trainee.context.route('**/api/chat/send', route => route.abort())
  await trainee.context.setOffline(false)
  await trainee.page.reload()
  await trainee.chat.message(nameOf('supervisor4'), 'Are you there?').waitFor()
  await eventually(async () => expect(await unsent.count()).toBe(3))
  await trainee.context.unroute('**/api/chat/send')
  const expectedTexts = ['Before', 'Are you there?', 'One', 'Two', 'Three']
  for (const { chat, name } of [
    { chat: trainee.chat, name: nameOf('supervisor4') },
    { chat: supervisor.chat, name: nameOf('trainee21') },
  ])
    await eventually(async () => {
      const texts = await chat.window(name).locator('[data-line] p').allTextContents()
      expect(texts).toEqual(expectedTexts)
    })
  // The partner may see a message before its sender gets the answer.
  await eventually(async () => expect(await unsent.count()).toBe(0))
  expect(await trainee.page.getByRole('textbox', { name: `Message to ${nameOf('supervisor4')}` }).inputValue()).toBe(
    'Not finis',
  )
})

test('on a phone a conversation fills the screen; an administrator writes to anyone and gets an answer', async () => {
  const admin = await startVisit(product.browser)
  visits.push(admin)
  await admin.page.goto(`${product.system.url}/admin`)
  await admin.page.getByLabel('Email').fill('admin@demo.local')
  await admin.page.getByRole('textbox', { name: 'Password' }).fill('watchline-demo')
  await admin.page.getByRole('button', { name: 'Sign in as Admin' }).click()
  const adminChat = chatOf(admin.page)
  await adminChat.button(0).waitFor()
  const trainee = await signInAs('trainee22@demo.local', { viewport: { width: 390, height: 844 } })
  await trainee.chat.button(0).waitFor()

  await adminChat.openWindow(nameOf('trainee22'))
  await adminChat.writeMessage('Please renew your badge.')
  await trainee.chat.button(1).click()
  await trainee.page.getByRole('button', { name: /renew your badge/ }).click()
  const dialog = trainee.page.getByRole('dialog', { name: /^Chat with/ })
  await dialog.getByText('Please renew your badge.').waitFor()
  await eventually(async () => expect(await dialog.boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 844 }))
  expect(await findAccessibilityFaults(trainee.page)).toEqual([])
  await trainee.chat.writeMessage('Done')
  await adminChat.message(nameOf('trainee22'), 'Done').waitFor()
  await dialog.getByRole('button', { name: /^Minimise/ }).click()
  await trainee.page.getByRole('heading', { level: 1 }).waitFor()
  expect(await trainee.page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
})

import { afterEach, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { accessibilityFindings, signIn, type Visit, visit } from '../src/browser.ts'
import { useProduct } from '../src/running-product.ts'

const product = useProduct({ demo: true })
const visits: Visit[] = []

afterEach(async () => {
  for (const { context, complaints } of visits.splice(0)) {
    expect(complaints).toEqual([])
    await context.close()
  }
})

async function enter(email: string, options?: BrowserContextOptions) {
  const visited = await visit(product.browser, options)
  visits.push(visited)
  await signIn(visited.page, product.system.url, email)
  return { ...visited, chat: chatOf(visited.page) }
}

/** The chat as one person works it, by keyboard alone. */
function chatOf(page: Page) {
  const button = (unread?: number) =>
    page.getByRole('button', { name: unread === undefined ? /^Chat(,|$)/ : `Chat, ${unread} unread`, exact: true })
  const window = (name: string) => page.getByRole('region', { name: `Chat with ${name}`, exact: true })
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
  return {
    button,
    window,
    focused,
    line: (name: string, words: string) => window(name).getByRole('listitem').filter({ hasText: words }),
    /** Into a person's window: through the list, searching for them. */
    async open(name: string) {
      await button().focus()
      await page.keyboard.press('Enter')
      const list = page.getByRole('dialog', { name: 'Chat', exact: true })
      await list.getByRole('searchbox').waitFor()
      await eventually(async () => expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT'))
      await page.keyboard.type(name)
      const row = list.getByRole('button', { name: new RegExp(`^\\W*${name}\\b`) })
      await eventually(async () =>
        expect(await list.getByRole('button', { name: /@|Draft|ago|Just now/ }).count()).toBe(1),
      )
      await row.focus()
      await page.keyboard.press('Enter')
      await eventually(async () => expect(await focused()).toBe(`Message to ${name}`))
    },
    /** Where the keyboard is. */
    async write(words: string) {
      await page.keyboard.type(words)
      await page.keyboard.press('Enter')
    },
  }
}

test('a trainee and their supervisor talk, by keyboard alone, and each sees what is unread and what was seen', async () => {
  const boss = await enter('supervisor4@demo.local')
  const seat = await enter('trainee19@demo.local')
  await boss.chat.button(0).waitFor()

  await seat.chat.open('Supervisor 4')
  await seat.chat.write('Where is the second exit? See https://example.org/plan.')
  await seat.chat.write('It is on no plan of mine.')
  await boss.chat.button(2).waitFor()
  await seat.chat.button(0).waitFor()

  await boss.chat.open('Trainee 19')
  await boss.chat.button(0).waitFor()
  await seat.chat.line('Supervisor 4', 'It is on no plan of mine.').getByText('Seen').waitFor()
  const link = boss.chat.window('Trainee 19').getByRole('link', { name: 'https://example.org/plan', exact: true })
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer')

  await boss.page.keyboard.type('Behind')
  await seat.page.getByText('Supervisor 4 is writing…').waitFor()
  await boss.page.keyboard.press('Shift+Enter')
  await boss.chat.write('the stairs.')
  await seat.chat.line('Supervisor 4', 'Behind\nthe stairs.').waitFor()
  await boss.chat.line('Trainee 19', 'the stairs.').getByText('Seen').waitFor()
  expect(await boss.page.getByText('is writing').count()).toBe(0)
  expect(await seat.chat.focused()).toBe('Message to Supervisor 4')

  // Minimised: what comes now is unread, on its tab and in all.
  await seat.page.keyboard.press('Escape')
  await boss.chat.write('Did you find it?')
  await seat.chat.button(1).waitFor()
  await seat.page.getByRole('button', { name: /^Open chat with Supervisor 4.*1 unread/ }).waitFor()
  await seat.page.keyboard.press('Enter')
  await seat.chat.button(0).waitFor()
  await seat.chat.window('Supervisor 4').getByText('New', { exact: true }).waitFor()
  expect(await seat.chat.focused()).toBe('Message to Supervisor 4')
  for (const { page } of [boss, seat]) expect(await accessibilityFindings(page)).toEqual([])

  const exported = await seat.page.request.get(
    (await seat.chat
      .window('Supervisor 4')
      .getByRole('link', { name: /^Export/ })
      .getAttribute('href'))!,
  )
  expect(await exported.text()).toMatch(/Trainee 19: Where is the second exit.*Supervisor 4: Behind\n +the stairs\./s)
})

test('windows and what is written in them come along into the session and through a reload; the player hears none of the keys', async () => {
  const seat = await enter('trainee20@demo.local')
  await seat.chat.open('Supervisor 4')
  await seat.page.keyboard.type('Half a thou')
  await seat.page.getByRole('button', { name: /Monitoring Session/ }).click()
  await seat.page.locator('[data-phase=playing]').waitFor()
  const field = seat.page.getByRole('textbox', { name: 'Message to Supervisor 4' })
  expect(await field.inputValue()).toBe('Half a thou')
  await field.focus()
  const place = () => seat.page.evaluate(() => document.querySelector('video')!.currentTime)
  const before = await place()
  await seat.page.keyboard.type(' k k ')
  await seat.page.keyboard.press('ArrowLeft')
  expect(await place()).toBeGreaterThanOrEqual(before)
  expect(await seat.page.locator('[data-phase=playing]').count()).toBe(1)

  await seat.page.reload()
  await seat.page.getByRole('button', { name: 'Back to Dashboard' }).waitFor()
  expect(await field.inputValue()).toBe('Half a thou k k ')
  await field.focus()
  await seat.page.keyboard.press('Escape')
  await seat.page.getByRole('button', { name: 'Back to Dashboard' }).click()
  await seat.page.getByRole('heading', { level: 1, name: /Welcome/ }).waitFor()
  await seat.page.getByRole('button', { name: /^Open chat with Supervisor 4/ }).waitFor()
})

test('what is written without a network is kept, through a reload, too, and sent once, in order', async () => {
  const boss = await enter('supervisor4@demo.local')
  const seat = await enter('trainee21@demo.local')
  await seat.chat.open('Supervisor 4')
  await seat.chat.write('Before')
  await boss.chat.open('Trainee 21')
  await boss.chat.line('Trainee 21', 'Before').waitFor()

  await seat.context.setOffline(true)
  for (const words of ['One', 'Two', 'Three']) await seat.chat.write(words)
  await seat.page.keyboard.type('Not finis')
  const unsent = seat.chat.window('Supervisor 4').locator('[data-unsent=failed]')
  await eventually(async () => expect(await unsent.count()).toBe(3))
  await boss.chat.write('Are you there?')
  const sent = boss.chat.line('Trainee 21', 'Are you there?')
  await sent.and(boss.page.locator('li:not([data-unsent])')).waitFor()

  // The network is back, the service is not.
  await seat.context.route('**/api/chat/send', route => route.abort())
  await seat.context.setOffline(false)
  await seat.page.reload()
  await seat.chat.line('Supervisor 4', 'Are you there?').waitFor()
  await eventually(async () => expect(await unsent.count()).toBe(3))
  await seat.context.unroute('**/api/chat/send')
  const order = ['Before', 'Are you there?', 'One', 'Two', 'Three']
  for (const { chat, name } of [
    { chat: seat.chat, name: 'Supervisor 4' },
    { chat: boss.chat, name: 'Trainee 21' },
  ])
    await eventually(async () => {
      const lines = await chat.window(name).locator('[data-line] p').allTextContents()
      expect(lines).toEqual(order)
    })
  // The other may see a message before its sender hears that it is stored.
  await eventually(async () => expect(await unsent.count()).toBe(0))
  expect(await seat.page.getByRole('textbox', { name: 'Message to Supervisor 4' }).inputValue()).toBe('Not finis')
})

test('on a phone a conversation fills the screen; an administrator writes to anyone, who answers', async () => {
  const admin = await visit(product.browser)
  visits.push(admin)
  await admin.page.goto(`${product.system.url}/admin`)
  await admin.page.getByLabel('Email').fill('admin@demo.local')
  await admin.page.getByRole('textbox', { name: 'Password' }).fill('watchline-demo')
  await admin.page.getByRole('button', { name: 'Sign in as Admin' }).click()
  const desk = chatOf(admin.page)
  await desk.button(0).waitFor()
  const seat = await enter('trainee22@demo.local', { viewport: { width: 390, height: 844 } })
  await seat.chat.button(0).waitFor()

  await desk.open('Trainee 22')
  await desk.write('Please renew your badge.')
  await seat.chat.button(1).click()
  await seat.page.getByRole('button', { name: /renew your badge/ }).click()
  const whole = seat.page.getByRole('dialog', { name: /^Chat with/ })
  await whole.getByText('Please renew your badge.').waitFor()
  await eventually(async () => expect(await whole.boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 844 }))
  expect(await accessibilityFindings(seat.page)).toEqual([])
  await seat.chat.write('Done')
  await desk.line('Trainee 22', 'Done').waitFor()
  await whole.getByRole('button', { name: /^Minimise/ }).click()
  await seat.page.getByRole('heading', { level: 1 }).waitFor()
  expect(await seat.page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
})

import { expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import type { BrowserContext, Page } from 'playwright-core'
import { signIn, visit } from '../src/browser.ts'
import { useProduct } from '../src/running-product.ts'

const product = useProduct({ demo: true })

const bell = (page: Page, words: RegExp) => page.getByRole('button', { name: words })

/** Counts the tones that the page plays. */
async function listen(context: BrowserContext) {
  await context.addInitScript(() => {
    const heard = globalThis as unknown as { tones: number }
    heard.tones = 0
    const { start } = OscillatorNode.prototype
    OscillatorNode.prototype.start = function (...given) {
      heard.tones += 1
      return start.apply(this, given)
    }
  })
}
const tones = (page: Page) => page.evaluate(() => (globalThis as unknown as { tones: number }).tones)

async function enter(email: string, prepare?: (context: BrowserContext) => Promise<unknown>) {
  const visited = await visit(product.browser)
  await prepare?.(visited.context)
  await signIn(visited.page, product.system.url, email)
  return visited
}

async function watch(page: Page) {
  await page.getByRole('button', { name: /Monitoring Session/ }).click()
  await page.locator('[data-phase=playing]').waitFor()
}

async function say(page: Page, words: string) {
  await page.getByLabel(/Comment at:/).fill(words)
  await page.getByLabel(/Comment at:/).press('Control+Enter')
  await page.getByText(words).first().waitFor()
}

test('a comment rings at the supervisor, is approved with words, leads to its second, and the trainee reads the words', async () => {
  const boss = await enter('supervisor1@demo.local', listen)
  const seat = await enter('trainee1@demo.local')
  await bell(boss.page, /^Notifications, \d+ unread, 0 waiting/).waitFor()
  await boss.page.getByRole('heading', { level: 1 }).click()

  await watch(seat.page)
  await seat.page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 2)
  await say(seat.page, 'Where is the second exit?')
  await bell(boss.page, /^Notifications, \d+ unread, 1 waiting/).waitFor()
  await eventually(async () => expect(await tones(boss.page)).toBe(2))

  await bell(boss.page, /^Notifications/).click()
  const menu = boss.page.getByRole('dialog').filter({ hasText: 'Notifications' })
  await menu.getByText('Where is the second exit?').waitFor()
  await menu.getByRole('button', { name: /^Add a comment/ }).click()
  await menu.getByLabel('Your comment to Trainee 1').fill('Behind the stairs. Well asked.')
  await menu.getByRole('button', { name: /^Approve with comment/ }).click()
  const banner = boss.page.locator('[data-banner=approved]')
  await banner.waitFor()
  const from = /Starting at 0:0(\d)/.exec((await banner.textContent()) ?? '')
  expect(Number(from?.[1])).toBeGreaterThanOrEqual(2)
  await boss.page.locator('[data-phase=playing]').waitFor()
  expect(new URL(boss.page.url()).searchParams.get('action')).toBe('approved')

  await bell(seat.page, /^Notifications, [1-9]\d* unread/).click()
  await seat.page.getByText('Behind the stairs. Well asked.').waitFor()

  for (const { complaints, context } of [boss, seat]) {
    expect(complaints).toEqual([])
    await context.close()
  }
})

test('beside their player supervisors see somebody start and stop', async () => {
  const boss = await enter('supervisor1@demo.local')
  await boss.page.getByRole('button', { name: 'Tasks Menu' }).click()
  await boss.page
    .getByRole('button', { name: /^Start Task/ })
    .first()
    .click()
  const team = boss.page.getByRole('region', { name: /team/i }).first()
  const row = team.getByRole('listitem').filter({ hasText: 'Trainee 2' })
  await row.waitFor()

  const seat = await enter('trainee2@demo.local')
  await eventually(async () => expect(await row.textContent()).toMatch(/active/i))
  await watch(seat.page)
  await eventually(async () => expect(await row.textContent()).toMatch(/monitoring/i))
  await seat.page.getByRole('button', { name: 'Back to Dashboard' }).click()
  await eventually(async () => expect(await row.textContent()).toMatch(/active/i))

  await boss.page.getByRole('button', { name: 'Exit' }).first().click()
  await boss.page.getByRole('heading', { name: 'Supervisor Dashboard' }).waitFor()
  for (const { complaints, context } of [boss, seat]) {
    expect(complaints).toEqual([])
    await context.close()
  }
})

test('without the stream everything still arrives, at the pace of polling', async () => {
  const boss = await enter('supervisor1@demo.local', context => context.route('**/api/stream*', route => route.abort()))
  const seat = await enter('trainee3@demo.local')
  await watch(seat.page)
  await eventually(
    async () =>
      expect(await boss.page.getByRole('row').filter({ hasText: 'trainee3@demo.local' }).textContent()).toMatch(
        /monitoring/i,
      ),
    40_000,
  )
  await say(seat.page, 'What if the lift is stuck?')
  await bell(boss.page, /1 waiting/).waitFor()
  await boss.context.close()
  await seat.context.close()
})

import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { callApi } from '../src/api.ts'
import { signIn, visit } from '../src/browser.ts'
import { useProduct } from '../src/running-product.ts'

const iframeApi = readFileSync(new URL('../src/fake-iframe-api.js', import.meta.url), 'utf8')

const product = useProduct({ demo: true })

test('a YouTube playlist plays through: an end that is not told, a video that may not be embedded, and the last one', async () => {
  const boss = await visit(product.browser)
  await signIn(boss.page, product.system.url, 'supervisor4@demo.local')
  const video = (id: string) => ({ provider: 'youtube', id, title: `Film ${id}`, duration: 6 })
  const playlist = await callApi(boss.page, 'POST', '/playlists', {
    title: 'From YouTube',
    videos: [video('aaaaaaaaaaa'), video('blocked-one'), video('ccccccccccc')],
  })
  const team = await callApi(boss.page, 'GET', '/users')
  const member = team.find((each: { email: string }) => each.email === 'trainee24@demo.local')
  await callApi(boss.page, 'PUT', `/playlists/${playlist.id}/assign`, { assigned_users: [member.id] })
  await boss.context.close()

  const { page, context, complaints } = await visit(product.browser)
  await context.route('https://www.youtube.com/iframe_api', route =>
    route.fulfill({ contentType: 'text/javascript', body: iframeApi }),
  )
  await signIn(page, product.system.url, 'trainee24@demo.local')
  await page.getByText('From YouTube').first().waitFor()
  await page.getByRole('button', { name: 'Start Monitoring Session' }).click()
  await page.locator('[data-phase=playing]').waitFor()

  type Fake = { options: { host: string; playerVars: Record<string, unknown> } }
  const { host, playerVars } = await page.evaluate(
    () => (globalThis as unknown as { fakeYouTube: Fake }).fakeYouTube.options,
  )
  expect(host).toBe('https://www.youtube-nocookie.com')
  expect(playerVars).toMatchObject({ controls: 0, disablekb: 1, fs: 0, rel: 0, modestbranding: 1, playsinline: 1 })

  // YouTube's terms: nothing may lie over its player.
  const covered = await page.evaluate(() => {
    const frame = document.querySelector('iframe')!
    const { left, top, width, height } = frame.getBoundingClientRect()
    const points = [0.05, 0.5, 0.95].flatMap(x => [0.05, 0.5, 0.95].map(y => [left + width * x, top + height * y]))
    return points.filter(([x, y]) => document.elementFromPoint(x!, y!) !== frame)
  })
  expect(covered).toEqual([])

  await page.getByText('2 / 3').or(page.getByText('Video 2 of 3')).first().waitFor()
  await page.getByText('3 / 3').first().waitFor()
  await page.locator('[data-phase=playing]').waitFor()
  await page.getByRole('alertdialog').waitFor()
  expect(await page.getByRole('alertdialog').textContent()).toContain('From YouTube')
  expect(complaints).toEqual([])
  await context.close()
})

import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { callApi } from '../src/api.ts'
import { signIn, startVisit } from '../src/browser.ts'
import { useProduct } from '../src/running-product.ts'

const iframeApi = readFileSync(new URL('../src/fake-iframe-api.js', import.meta.url), 'utf8')

const product = useProduct({ demo: true })

test('a YouTube playlist plays through, with an unreported end and a video that cannot be embedded', async () => {
  const supervisor = await startVisit(product.browser)
  await signIn(supervisor.page, product.system.url, 'supervisor4@demo.local')
  const video = (id: string) => ({ provider: 'youtube', id, title: `Film ${id}`, duration: 6 })
  const playlist = await callApi(supervisor.page, 'POST', '/playlists', {
    title: 'From YouTube',
    videos: [video('aaaaaaaaaaa'), video('blocked-one'), video('ccccccccccc')],
  })
  const team = await callApi(supervisor.page, 'GET', '/users')
  const member = team.find((person: { email: string }) => person.email === 'trainee24@demo.local')
  await callApi(supervisor.page, 'PUT', `/playlists/${playlist.id}/assign`, { assigned_users: [member.id] })
  await supervisor.context.close()

  const { page, context, pageErrors } = await startVisit(product.browser)
  await context.route('https://www.youtube.com/iframe_api', route =>
    route.fulfill({ contentType: 'text/javascript', body: iframeApi }),
  )
  await signIn(page, product.system.url, 'trainee24@demo.local')
  await page.getByText('From YouTube').first().waitFor()
  await page.getByRole('button', { name: 'Start Monitoring Session' }).click()
  await page.locator('[data-phase=playing]').waitFor()

  type FakeYouTube = { options: { host: string; playerVars: Record<string, unknown> } }
  const { host, playerVars } = await page.evaluate(
    () => (globalThis as unknown as { fakeYouTube: FakeYouTube }).fakeYouTube.options,
  )
  expect(host).toBe('https://www.youtube-nocookie.com')
  expect(playerVars).toMatchObject({ controls: 0, disablekb: 1, fs: 0, rel: 0, playsinline: 1 })

  // YouTube's terms forbid overlays on its player.
  const coveredPoints = await page.evaluate(() => {
    const frame = document.querySelector('iframe')!
    const { left, top, width, height } = frame.getBoundingClientRect()
    const points = [0.05, 0.5, 0.95].flatMap(x => [0.05, 0.5, 0.95].map(y => [left + width * x, top + height * y]))
    return points.filter(([x, y]) => document.elementFromPoint(x!, y!) !== frame)
  })
  expect(coveredPoints).toEqual([])

  await page.getByText('2 / 3').or(page.getByText('Video 2 of 3')).first().waitFor()
  // The last video plays for a few seconds only.
  await page.waitForFunction(() => document.querySelector('[data-phase=playing]')?.textContent.includes('3 / 3'))
  await page.getByRole('alertdialog').waitFor()
  expect(await page.getByRole('alertdialog').textContent()).toContain('From YouTube')
  expect(pageErrors).toEqual([])
  await context.close()
})

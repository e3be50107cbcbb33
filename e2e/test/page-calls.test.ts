import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { openingReads, watchingPageCalls } from '../../lab/src/load/clients/page-calls.ts'
import { callApi } from '../src/api.ts'
import { signIn, startVisit } from '../src/browser.ts'
import { useProduct } from '../src/running-product.ts'

const product = useProduct({ demo: true })

type Operation = keyof typeof watchingPageCalls

const requestOf: Record<Operation, RegExp> = {
  'save-progress': /^POST \/api\/session\/save-progress$/,
  track: /^POST \/api\/engagement\/track$/,
  heartbeat: /^POST \/api\/session\/heartbeat$/,
  'comments poll': /^GET \/api\/comments\//,
  'notifications poll': /^GET \/api\/notifications$/,
  'chat poll': /^GET \/api\/chat\/unread-count$/,
}

/** Assigns a film of three minutes to the trainee. Resolves to the playlist's id. */
async function assignFilm(traineeEmail: string): Promise<string> {
  const { page, context } = await startVisit(product.browser)
  await signIn(page, product.system.url, 'supervisor1@demo.local')
  const team = await callApi(page, 'GET', '/users')
  const video = {
    provider: 'file',
    id: 'film',
    url: '/media/the-day-of-the-audit.webm',
    title: 'The day of the audit',
    duration: 180,
  }
  const { id } = await callApi(page, 'POST', '/playlists', { title: 'A film', description: '', videos: [video] })
  const trainee = team.find(({ email }: { email: string }) => email === traineeEmail)
  await callApi(page, 'PUT', `/playlists/${id}/assign`, { assigned_users: [trainee.id] })
  await context.close()
  return id
}

/** The calls of the page from now on, as method and path. */
function recordCalls(page: Page): string[] {
  const calls: string[] = []
  page.on('request', request => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) calls.push(`${request.method()} ${pathname}`)
  })
  return calls
}

const waitUntilPlayed = (page: Page, seconds: number) =>
  page.waitForFunction(played => (document.querySelector('video')?.currentTime ?? 0) >= played, seconds)

test('a page that opens and plays for a minute makes the calls that make load simulates, and no others', async () => {
  const playlistId = await assignFilm('trainee3@demo.local')
  const { page, context } = await startVisit(product.browser)
  const openingCalls = recordCalls(page)
  await signIn(page, product.system.url, 'trainee3@demo.local')
  await page.getByRole('button', { name: 'Start Monitoring Session' }).click()
  // The first calls of the page are over.
  await waitUntilPlayed(page, 5)
  const expectedReads = openingReads(playlistId, 'film').map(path => `GET /api${path}`)
  const otherReads = ['GET /api/auth/signin', 'GET /api/auth/callback', 'GET /api/stream']
  const reads = openingCalls.filter(call => call.startsWith('GET '))
  expect(new Set(reads)).toEqual(new Set([...otherReads, ...expectedReads]))
  expect(openingCalls).toContain('POST /api/session/monitoring')

  const calls = recordCalls(page)
  await waitUntilPlayed(page, 65)

  const operations = Object.keys(watchingPageCalls) as Operation[]
  expect(calls.filter(call => !operations.some(operation => requestOf[operation].test(call)))).toEqual([])
  for (const operation of operations) {
    const perMinute = watchingPageCalls[operation]
    const count = calls.filter(call => requestOf[operation].test(call)).length
    // Pauses between calls vary, and on a slow machine the film takes longer than a minute.
    const range = { operation, perMinute, count, isExpected: count >= perMinute / 2 - 1 && count <= perMinute * 2 + 1 }
    expect(range).toEqual({ ...range, isExpected: true })
  }
  await context.close()
})

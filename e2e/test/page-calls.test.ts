import { expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import type { Page } from 'playwright-core'
import { dashboardCalls, openingReads, watchingPageCalls } from '../../lab/src/load/clients/page-calls.ts'
import { callApi } from '../src/api.ts'
import { signIn, startVisit } from '../src/browser.ts'
import { useProduct } from '../src/running-product.ts'

const product = useProduct({ demo: true })

const requestsOfTrainee: Record<keyof typeof watchingPageCalls, RegExp> = {
  'save-progress': /^POST \/api\/session\/save-progress$/,
  track: /^POST \/api\/engagement\/track$/,
  heartbeat: /^POST \/api\/session\/heartbeat$/,
  'comments poll': /^GET \/api\/comments\/\w+\/film\?limit=500$/,
  'notifications poll': /^GET \/api\/notifications\?limit=30$/,
  'chat poll': /^GET \/api\/chat\/unread-count$/,
}

const requestsOfSupervisor: Record<keyof typeof dashboardCalls, RegExp> = {
  'team figures poll': /^GET \/api\/engagement\/team\?limit=50&sort=need&order=asc$/,
  'member figures poll': /^GET \/api\/engagement\/team\?user_ids=[\w%]+$/,
  'team members poll': /^GET \/api\/users\?limit=50$/,
  'playlists poll': /^GET \/api\/playlists\?limit=500$/,
  'online poll': /^GET \/api\/users\/online\?limit=500$/,
  'supervisor notifications poll': /^GET \/api\/notifications\?limit=30$/,
  'supervisor chat poll': /^GET \/api\/chat\/unread-count$/,
}

/** Polls vary by a tenth, and the next one is due after the answer to the one before. */
const tolerance = 0.25
/** Longer than the longest interval of a page whose live stream has just become healthy. */
const limitMs = 150_000

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

interface RecordedCall {
  /** Method, path and query. */
  request: string
  /** ms */
  at: number
}

/** The calls of the page from now on. */
function recordCalls(page: Page): RecordedCall[] {
  const calls: RecordedCall[] = []
  page.on('request', request => {
    const { pathname, search } = new URL(request.url())
    if (pathname.startsWith('/api/'))
      calls.push({ request: `${request.method()} ${pathname}${search}`, at: performance.now() })
  })
  return calls
}

const waitUntilPlayed = (page: Page, seconds: number) =>
  page.waitForFunction(played => (document.querySelector('video')?.currentTime ?? 0) >= played, seconds)

/**
 * Waits until, for each operation, two calls in a row were as far apart as the table says. Timers
 * of a page run by the clock. Single calls may be late on a slow machine, but not all of them.
 */
async function waitForIntervals<Operation extends string>(
  calls: readonly RecordedCall[],
  perMinute: Readonly<Record<Operation, number>>,
  requests: Record<Operation, RegExp>,
): Promise<void> {
  const readIntervals = (operation: Operation) => {
    const times = calls.filter(({ request }) => requests[operation].test(request)).map(({ at }) => at / 1_000)
    const intervals = times.slice(1).map((time, index) => time - times[index]!)
    const expectedS = 60 / perMinute[operation]
    const isExpected = intervals.some(seconds => Math.abs(seconds - expectedS) <= expectedS * tolerance)
    return { operation, expectedS, intervals, isExpected }
  }
  const operations = Object.keys(requests) as Operation[]
  await eventually(() => {
    expect(operations.map(readIntervals).filter(({ isExpected }) => !isExpected)).toEqual([])
  }, limitMs)
}

const listOtherCalls = (calls: readonly RecordedCall[], requests: Record<string, RegExp>) =>
  calls
    .map(({ request }) => request)
    .filter(request => !Object.values(requests).some(expression => expression.test(request)))

test('pages that play a video, and dashboards, make the calls that make load simulates, and no others', async () => {
  const [playlistId, supervisor] = await Promise.all([assignFilm('trainee3@demo.local'), startVisit(product.browser)])
  // Nobody of this team watches, has finished or is overdue, so nothing changes on its dashboard.
  const supervisorCalls = recordCalls(supervisor.page)
  await signIn(supervisor.page, product.system.url, 'supervisor2@demo.local')
  const { page, context } = await startVisit(product.browser)
  const openingCalls = recordCalls(page)
  await signIn(page, product.system.url, 'trainee3@demo.local')
  await page.getByRole('button', { name: 'Start Monitoring Session' }).click()
  // The first calls of the page are over.
  await waitUntilPlayed(page, 5)
  const expectedReads = openingReads(playlistId, 'film').map(path => `GET /api${path}`)
  const otherReads = ['GET /api/auth/signin', 'GET /api/auth/callback', 'GET /api/stream']
  const openingRequests = openingCalls.map(({ request }) => request.replace(/\?.*/, ''))
  const reads = openingRequests.filter(request => request.startsWith('GET '))
  expect(new Set(reads)).toEqual(new Set([...otherReads, ...expectedReads]))
  expect(openingRequests).toContain('POST /api/session/monitoring')

  const calls = recordCalls(page)
  const callsOfDashboard = recordCalls(supervisor.page)
  await Promise.all([
    waitForIntervals(openingCalls, watchingPageCalls, requestsOfTrainee),
    waitForIntervals(supervisorCalls, dashboardCalls, requestsOfSupervisor),
  ])
  expect(listOtherCalls(calls, requestsOfTrainee)).toEqual([])
  expect(listOtherCalls(callsOfDashboard, requestsOfSupervisor)).toEqual([])
  await Promise.all([context.close(), supervisor.context.close()])
})

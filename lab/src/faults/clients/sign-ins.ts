import { setTimeout as sleep } from 'node:timers/promises'
import { createBrowser } from '@watchline/testing/browser'
import type { Dispatcher } from 'undici'
import { type Lane, patienceMs } from '../call-log.ts'
import { createCaller, type LoadClients, pause, repeatUntilStopped } from './load.ts'

/** A guest who signs in, reads, refreshes the session and signs out. */
export async function signInAndOut(
  clients: LoadClients,
  guest: { name: string; email: string },
  { url, dispatcher }: { url: string; dispatcher: Dispatcher },
): Promise<void> {
  const { callLog, expectedRecords, stopping } = clients
  const lane: Lane = { area: 'signing in', client: guest.name }
  await repeatUntilStopped(clients, [lane], 1_500, async () => {
    const browser = createBrowser(url, dispatcher, { limitMs: callLog.limits.callLimitMs })
    const call = createCaller(clients, browser, lane)
    const startedAt = Date.now()
    for (;;) {
      const sentAt = Date.now()
      callLog.counts.requests += 1
      const answer = await browser.signIn(guest.email).catch(() => undefined)
      if (answer?.status === 200) {
        callLog.counts.acknowledged += 1
        callLog.markServed(lane, sentAt)
        break
      }
      if (stopping.aborted) return
      if (Date.now() - startedAt > patienceMs) {
        callLog.reportViolation('never answered', `${guest.name} could not sign in for ${patienceMs / 1_000} s`)
        return
      }
      callLog.counts.resends += 1
      await sleep(200 + Math.random() * 200)
    }
    await call('GET', '/auth/profile')
    // After a first sign-in every service must know the person.
    await call('GET', '/chat/unread-count')
    await call('POST', '/auth/refresh')
    await call('GET', '/notifications?limit=1')
    await pause(300, stopping)
    const signedOutBrowser = browser.copy()
    const { acknowledged } = await call('POST', '/auth/logout')
    if (acknowledged) expectedRecords.signOuts.push({ name: guest.name, browser: signedOutBrowser, at: Date.now() })
  })
}

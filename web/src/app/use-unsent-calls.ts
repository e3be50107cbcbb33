import { useEffect } from 'react'
import { useSearchParams } from 'react-router'
import { useConnection } from '../api/connection.ts'
import { importLater } from '../api/first-screen.ts'
import { scheduleTimeout } from '../api/schedule.ts'
import { sessionAddressOf } from '../features/launch/session-address.ts'
import { useAlerts } from '../ui/feedback/alerts.tsx'
import type { UnsentCalls } from './unsent-calls.ts'

type UnsentCallsModule = typeof import('./unsent-calls.ts')

const loadUnsentCalls = importLater(() => import('./unsent-calls.ts'))
const retryMs = 30_000

/**
 * Sends reports and comments that a left session or an earlier visit could not send, as soon as the
 * person is connected. Reports must not wait for the next monitored session: after another sign-in
 * they earn no credit any more. A session on the screen sends them itself.
 */
export function useUnsentCalls(personId: string): void {
  const alerts = useAlerts()
  const connection = useConnection()
  const [params] = useSearchParams()
  const isInSession = sessionAddressOf(params) !== undefined

  useEffect(() => {
    if (connection !== 'live' || isInSession) return
    const end = new AbortController()
    const tellRefused = (text: string) => alerts.fail(`Your comment “${text}” could not be added.`)
    void sendUntil(end.signal, () => open(personId, tellRefused))
    return () => end.abort()
  }, [alerts, connection, isInSession, personId])
}

async function open(...options: Parameters<UnsentCallsModule['openUnsentCalls']>) {
  const { openUnsentCalls } = await loadUnsentCalls()
  return openUnsentCalls(...options)
}

/** Looks again after a while if nothing waits: another window may end with something unsent. */
async function sendUntil(end: AbortSignal, openCalls: () => Promise<UnsentCalls | undefined>): Promise<void> {
  const calls = await openCalls().catch(error => {
    console.warn('unsent calls not opened, retrying', error)
    return undefined
  })
  if (end.aborted) return calls?.close()
  const cancel = calls?.close ?? scheduleTimeout(retryMs, () => void sendUntil(end, openCalls))
  end.addEventListener('abort', cancel)
}

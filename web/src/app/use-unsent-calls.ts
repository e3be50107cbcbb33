import { useEffect } from 'react'
import { useSearchParams } from 'react-router'
import { useConnection } from '../api/connection.ts'
import { importLater } from '../api/first-screen.ts'
import { scheduleTimeout } from '../api/schedule.ts'
import { sessionAddressOf } from '../features/launch/session-address.ts'

const loadUnsentCalls = importLater(() => import('./unsent-calls.ts'))
const retryMs = 30_000

/**
 * Sends reports and comments that a left session or an earlier visit could not send, as soon as the
 * person is connected. Only this login session gets credit for its reports, so they must not wait
 * for the next monitored session. A session on the screen sends them itself.
 */
export function useUnsentCalls(personId: string): void {
  const connection = useConnection()
  const [params] = useSearchParams()
  const isInSession = sessionAddressOf(params) !== undefined

  useEffect(() => {
    if (connection !== 'live' || isInSession) return
    const end = new AbortController()
    void sendUntil(end.signal, personId)
    return () => end.abort()
  }, [connection, isInSession, personId])
}

async function sendUntil(end: AbortSignal, personId: string): Promise<void> {
  try {
    const { openUnsentCalls } = await loadUnsentCalls()
    if (end.aborted) return
    const calls = await openUnsentCalls(personId)
    if (end.aborted) calls?.close()
    else end.addEventListener('abort', () => calls?.close())
  } catch (error) {
    console.warn('unsent calls not opened, retrying', error)
    if (!end.aborted)
      end.addEventListener(
        'abort',
        scheduleTimeout(retryMs, () => void sendUntil(end, personId)),
      )
  }
}

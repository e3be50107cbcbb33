import { useEffect } from 'react'
import { useSearchParams } from 'react-router'
import { useConnection } from '../api/connection.ts'
import { importLater } from '../api/first-screen.ts'
import { scheduleTimeout } from '../api/schedule.ts'
import { sessionAddressOf } from '../features/launch/session-address.ts'
import { useAlerts } from '../ui/feedback/alerts.tsx'
import type { UnsentCalls } from './unsent-calls.ts'

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
    const tellRefused = (text: string) => alerts.fail(`Your comment “${text}” could not be added.`)
    return keepSending(async () => {
      const { openUnsentCalls } = await loadUnsentCalls()
      return openUnsentCalls(personId, tellRefused)
    })
  }, [alerts, connection, isInSession, personId])
}

/**
 * Opens the outboxes, and again after a while once everything is sent, because another window may
 * end with something unsent. Until then their own retries go on, so that only one outbox sends.
 * Answers the function that ends it.
 */
function keepSending(openCalls: () => Promise<UnsentCalls | undefined>): () => void {
  let isEnded = false
  let stop = () => {}
  async function open() {
    const calls = await openCalls().catch(error => {
      console.warn('unsent calls not opened, retrying', error)
      return undefined
    })
    if (isEnded) calls?.close()
    else lookLater(calls)
  }
  function lookLater(calls: UnsentCalls | undefined) {
    const cancel = scheduleTimeout(retryMs, () => {
      if (calls?.areSent() === false) return lookLater(calls)
      calls?.close()
      void open()
    })
    stop = () => {
      cancel()
      calls?.close()
    }
  }
  void open()
  return () => {
    isEnded = true
    stop()
  }
}

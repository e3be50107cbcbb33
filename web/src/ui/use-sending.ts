import { useEffect, useRef, useState } from 'react'
import { asFailure, type Failure } from '../api/failure.ts'
import { useAlerts } from './alerts.tsx'

/** The reason why the latest attempt failed. */
export interface Refusal {
  /** The server's text, or a default one. */
  words: string
  failure: Failure
}

export interface Sending {
  sending: boolean
  refusal: Refusal | undefined
  forget: () => void
  /** Sends and returns the answer, or undefined if it failed. Ignores further calls meanwhile. */
  send: <T>(call: () => PromiseLike<{ data?: T; error?: unknown }>, otherwise: string) => Promise<T | undefined>
}

/**
 * What a form or question sends. A failure is kept for the form; when that is gone by then, the corner says it, too, or
 * alone. One that keeps its state while its dialog is closed says whether it is shown.
 */
export function useSending(shown = true): Sending {
  const alerts = useAlerts()
  const busy = useRef(false)
  const there = useRef(shown)
  const [sending, setSending] = useState(false)
  const [refusal, setRefusal] = useState<Refusal>()

  useEffect(() => {
    there.current = shown
    return () => {
      there.current = false
    }
  }, [shown])

  async function send<T>(call: () => PromiseLike<{ data?: T; error?: unknown }>, otherwise: string) {
    if (busy.current) return undefined
    busy.current = true
    setSending(true)
    setRefusal(undefined)
    const { data, error } = await call()
    busy.current = false
    setSending(false)
    if (error === undefined) return data
    const failure = asFailure(error)
    const words = failure.detail ?? otherwise
    setRefusal({ words, failure })
    if (!there.current && failure.code !== 'aborted') alerts.announce({ kind: 'error', message: words })
    return undefined
  }

  return { sending, refusal, forget: () => setRefusal(undefined), send }
}

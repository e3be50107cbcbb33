import { useEffect, useRef, useState } from 'react'
import { asFailure, type Failure } from '../../api/failure.ts'
import { useAlerts } from '../feedback/alerts.tsx'

/** The reason why the latest attempt failed. */
export interface Refusal {
  /** The server's text, or a default one. */
  message: string
  failure: Failure
}

export interface Sending {
  isSending: boolean
  refusal: Refusal | undefined
  clearRefusal: () => void
  /** Sends and returns the answer, or undefined if it failed. Ignores further calls meanwhile. */
  send: <T>(call: () => PromiseLike<{ data?: T; error?: unknown }>, defaultMessage: string) => Promise<T | undefined>
}

/**
 * Sends the calls of a form, one at a time, and keeps the failure for the form. If the form is no
 * longer visible when a call fails, an alert shows the failure. A form that stays mounted in a
 * closed dialog passes `isShown`.
 */
export function useSending(isShown = true): Sending {
  const alerts = useAlerts()
  const isBusy = useRef(false)
  const isShownRef = useRef(isShown)
  const [isSending, setIsSending] = useState(false)
  const [refusal, setRefusal] = useState<Refusal>()

  useEffect(() => {
    isShownRef.current = isShown
    return () => {
      isShownRef.current = false
    }
  }, [isShown])

  async function send<T>(call: () => PromiseLike<{ data?: T; error?: unknown }>, defaultMessage: string) {
    if (isBusy.current) return undefined
    isBusy.current = true
    setIsSending(true)
    setRefusal(undefined)
    const { data, error } = await call()
    isBusy.current = false
    setIsSending(false)
    if (error === undefined) return data
    const failure = asFailure(error)
    const message = failure.detail ?? defaultMessage
    setRefusal({ message, failure })
    if (!isShownRef.current && failure.code !== 'aborted') alerts.announce({ kind: 'error', message })
    return undefined
  }

  return { isSending, refusal, clearRefusal: () => setRefusal(undefined), send }
}

import { useEffect, useRef, useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { useAlerts } from '../../ui/alerts.tsx'

interface Sending {
  sending: boolean
  /** Why the latest try failed, or what is missing for one. */
  problem: string | undefined
  setProblem: (problem: string | undefined) => void
  /** Sends and says whether it succeeded. While one is on its way nothing else is sent, however often it is asked for. */
  send: (call: () => Promise<{ error?: unknown }>, otherwise: string) => Promise<boolean>
}

/** The sending of a dialog's form. A failure is said in the dialog or, when that was closed meanwhile, in the corner. */
export function useSending(opened: boolean): Sending {
  const alerts = useAlerts()
  const busy = useRef(false)
  const open = useRef(opened)
  useEffect(() => {
    open.current = opened
  }, [opened])
  const [sending, setSending] = useState(false)
  const [problem, setProblem] = useState<string>()

  async function send(call: () => Promise<{ error?: unknown }>, otherwise: string): Promise<boolean> {
    if (busy.current) return false
    busy.current = true
    setSending(true)
    setProblem(undefined)
    const { error } = await call()
    busy.current = false
    setSending(false)
    if (!error) return true
    const words = asFailure(error).detail ?? otherwise
    setProblem(words)
    if (!open.current) alerts.announce({ kind: 'error', message: words })
    return false
  }

  return { sending, problem, setProblem, send }
}

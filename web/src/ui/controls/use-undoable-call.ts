import { limits } from '@watchline/contracts/limits'
import { useEffect, useRef, useState } from 'react'
import { beforeSignOut } from '../../api/before-sign-out.ts'

type Call = () => Promise<void>

export interface UndoableCall {
  /** The call waits for an undo. */
  isWaiting: boolean
  /** The call waits, or is on its way. */
  isBusy: boolean
  /** Sends the call after `limits.undoMs`. Has no effect while the call is busy. */
  start: () => void
  undo: () => void
}

/**
 * Holds a call back for a few seconds, so that the person can undo it. The server cannot take it
 * back, because it notifies other people at once. Leaving the component, the page or the login
 * session sends it at once, so an act that the person has seen confirmed is never lost. The call
 * needs `keepalive`, because a closing page ends its other requests. It reports its own failure and
 * never rejects.
 */
export function useUndoableCall(call: Call): UndoableCall {
  const waiting = useRef<{ send: Call; cancel: () => void }>(undefined)
  const [state, setState] = useState<'idle' | 'waiting' | 'sending'>('idle')

  useEffect(() => () => void waiting.current?.send(), [])

  function start() {
    if (waiting.current || state !== 'idle') return
    const cancel = () => {
      clearTimeout(timer)
      window.removeEventListener('pagehide', send)
      unregister()
      waiting.current = undefined
      setState('idle')
    }
    const send = async () => {
      cancel()
      setState('sending')
      await call()
      setState('idle')
    }
    const timer = setTimeout(send, limits.undoMs)
    const unregister = beforeSignOut(send)
    window.addEventListener('pagehide', send)
    waiting.current = { send, cancel }
    setState('waiting')
  }

  return { isWaiting: state === 'waiting', isBusy: state !== 'idle', start, undo: () => waiting.current?.cancel() }
}

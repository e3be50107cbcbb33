import { useEffect, useState } from 'react'
import { z } from 'zod'
import { useRememberedChoice } from '../../../ui/lists/remembered-choice.ts'

const blockedAlone = new Set(['F11', 'F5'])
const blockedWithControl = new Set(['w', 't', 'n', 'r'])
const explanationMs = 10_000

export const blockedKeysText =
  'During a session the context menu and the keys to reload, close or open tabs are off, so that it does not end by accident.'

/**
 * Prevents leaving the session by accident: no context menu, and none of F11, F5, Ctrl+W, Ctrl+T,
 * Ctrl+N and Ctrl+R. Other combinations stay the browser's. True for some seconds after the first
 * prevented attempt of a person in this browser.
 */
export function useBlockedKeys(): boolean {
  const [isExplained, setExplained] = useRememberedChoice('blocked-keys-explained', z.boolean(), false)
  const [explains, setExplains] = useState(false)
  useEffect(() => {
    const explainOnce = () => {
      if (isExplained) return
      setExplained(true)
      setExplains(true)
    }
    const blockKey = (event: KeyboardEvent) => {
      if (event.shiftKey || event.altKey || event.metaKey) return
      const isBlocked = event.ctrlKey ? blockedWithControl.has(event.key.toLowerCase()) : blockedAlone.has(event.key)
      if (!isBlocked) return
      event.preventDefault()
      explainOnce()
    }
    const blockMenu = (event: Event) => {
      event.preventDefault()
      explainOnce()
    }
    document.addEventListener('keydown', blockKey, true)
    document.addEventListener('contextmenu', blockMenu, true)
    return () => {
      document.removeEventListener('keydown', blockKey, true)
      document.removeEventListener('contextmenu', blockMenu, true)
    }
  }, [isExplained, setExplained])
  useEffect(() => {
    if (!explains) return
    const timer = setTimeout(() => setExplains(false), explanationMs)
    return () => clearTimeout(timer)
  }, [explains])
  return explains
}

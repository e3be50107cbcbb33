import { useEffect } from 'react'

const blockedAlone = new Set(['F11', 'F5'])
const blockedWithControl = new Set(['w', 't', 'n', 'r'])

/** Prevents leaving the session by accident: no context menu, no reload and no new tab by key. */
export function useBlockedKeys(): void {
  useEffect(() => {
    const blockKey = (event: KeyboardEvent) => {
      const withControl = (event.ctrlKey || event.metaKey) && blockedWithControl.has(event.key.toLowerCase())
      if (withControl || blockedAlone.has(event.key)) event.preventDefault()
    }
    const blockMenu = (event: Event) => event.preventDefault()
    document.addEventListener('keydown', blockKey, true)
    document.addEventListener('contextmenu', blockMenu, true)
    return () => {
      document.removeEventListener('keydown', blockKey, true)
      document.removeEventListener('contextmenu', blockMenu, true)
    }
  }, [])
}

import { type RefObject, useEffect, useRef } from 'react'
import { findShortcut, type PlayerActions } from './shortcuts.ts'

const typing = 'textarea, select, [contenteditable="true"], input:not([data-seek])'

/** Reacts to the player's keys while the focus is in the player or on nothing else. */
export function usePlayerKeys(player: RefObject<HTMLElement | null>, actions: PlayerActions, enabled: boolean): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    const element = player.current
    if (!element) return
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      const target = event.target as HTMLElement
      const isElsewhere = !element.contains(target) && target !== document.body && target.id !== 'main'
      if (isElsewhere || target.closest(typing) || (event.key === ' ' && target.closest('button, a'))) return
      const shortcut = findShortcut(event.key)
      if (!shortcut || (shortcut.onlyInPlayer && !element.contains(target))) return
      shortcut.run(latest.current)
      event.preventDefault()
    }
    if (!enabled) return
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [player, enabled])
}

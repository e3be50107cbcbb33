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
      if (!shortcut) return
      shortcut.run(latest.current)
      event.preventDefault()
    }
    // For the mouse only: a tap brings the controls back, and keyboards have the play button.
    const click = (event: MouseEvent) => {
      if ('pointerType' in event && event.pointerType === 'touch') return
      if (event.target instanceof HTMLVideoElement) latest.current.toggle()
    }
    if (enabled) document.addEventListener('keydown', press)
    element.addEventListener('click', click)
    return () => {
      document.removeEventListener('keydown', press)
      element.removeEventListener('click', click)
    }
  }, [player, enabled])
}

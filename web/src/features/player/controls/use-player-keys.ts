import { type RefObject, useEffect } from 'react'
import type { SessionRunner } from '../session/session-runner.ts'

const stepS = 5

/** While the focus is in the player, Space and k play and pause, and arrows seek. */
export function usePlayerKeys(player: RefObject<HTMLElement | null>, runner: SessionRunner | undefined): void {
  useEffect(() => {
    const element = player.current
    if (!element || !runner) return
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      const target = event.target as HTMLElement
      if (target.closest('textarea, select, [contenteditable="true"], input:not([type="range"])')) return
      if (event.key === 'k' || (event.key === ' ' && !target.closest('button, a'))) runner.send({ type: 'toggle' })
      else if (event.key === 'ArrowLeft') runner.send({ type: 'seek', to: runner.position() - stepS })
      else if (event.key === 'ArrowRight') runner.send({ type: 'seek', to: runner.position() + stepS })
      else return
      event.preventDefault()
    }
    // For the pointer only. Keyboards and screen readers have the play button.
    const click = (event: MouseEvent) => {
      // A tap brings the controls back.
      if ('pointerType' in event && event.pointerType === 'touch') return
      if (event.target instanceof HTMLVideoElement) runner.send({ type: 'toggle' })
    }
    element.addEventListener('keydown', press)
    element.addEventListener('click', click)
    return () => {
      element.removeEventListener('keydown', press)
      element.removeEventListener('click', click)
    }
  }, [player, runner])
}

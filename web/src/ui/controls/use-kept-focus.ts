import { type RefObject, useEffect, useRef } from 'react'

/** Keeps the focus in this part of the page when the focused element disappears. */
export function useKeptFocus(container: RefObject<HTMLElement | null>): void {
  const lastFocused = useRef<Element | null>(null)

  useEffect(() => {
    const rememberFocus = (event: FocusEvent) => {
      const isInside = event.target instanceof Element && container.current?.contains(event.target)
      lastFocused.current = isInside ? (event.target as Element) : null
    }
    document.addEventListener('focusin', rememberFocus)
    return () => document.removeEventListener('focusin', rememberFocus)
  }, [container])

  useEffect(() => {
    if (!lastFocused.current || lastFocused.current.isConnected || document.activeElement !== document.body) return
    lastFocused.current = null
    container.current?.focus({ preventScroll: true })
  })
}

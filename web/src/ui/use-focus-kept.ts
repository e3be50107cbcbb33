import { type RefObject, useEffect, useRef } from 'react'

/** Keeps the focus in this part of the page when the focused element disappears. */
export function useFocusKept(part: RefObject<HTMLElement | null>): void {
  const last = useRef<Element | null>(null)

  useEffect(() => {
    const note = (event: FocusEvent) => {
      const within = event.target instanceof Element && part.current?.contains(event.target)
      last.current = within ? (event.target as Element) : null
    }
    document.addEventListener('focusin', note)
    return () => document.removeEventListener('focusin', note)
  }, [part])

  useEffect(() => {
    if (!last.current || last.current.isConnected || document.activeElement !== document.body) return
    last.current = null
    part.current?.focus({ preventScroll: true })
  })
}

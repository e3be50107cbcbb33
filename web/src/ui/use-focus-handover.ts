import { type RefObject, useLayoutEffect } from 'react'

/** When the element disappears with the focus inside, the focus moves to the region around it. */
export function useFocusHandover(element: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const current = element.current
    return () => {
      if (!current?.contains(document.activeElement)) return
      current.parentElement?.closest<HTMLElement>('[tabindex="-1"]')?.focus({ preventScroll: true })
    }
  }, [element])
}

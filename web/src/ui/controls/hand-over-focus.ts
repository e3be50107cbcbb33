/**
 * A ref. If the element disappears with the focus inside, the focus moves to the region around it.
 * Otherwise, a keyboard would start again at the top of the page.
 */
export function handOverFocus(element: HTMLElement | null): (() => void) | undefined {
  if (!element) return undefined
  return () => {
    if (!element.contains(document.activeElement)) return
    element.parentElement?.closest<HTMLElement>('[tabindex="-1"]')?.focus({ preventScroll: true })
  }
}

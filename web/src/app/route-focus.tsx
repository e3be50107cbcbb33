import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'

/**
 * Moves the focus to the new page's content after a navigation, so that keyboard and screen reader
 * start there.
 */
export function RouteFocus() {
  const { pathname } = useLocation()
  const previousPathname = useRef(pathname)
  useEffect(() => {
    if (previousPathname.current === pathname) return
    previousPathname.current = pathname
    return focusMain()
  }, [pathname])
  return null
}

/** Waits for the content if the page still loads. */
function focusMain(): (() => void) | undefined {
  const focus = () => {
    const main = document.getElementById('main')
    main?.focus({ preventScroll: true })
    return main !== null
  }
  if (focus()) return undefined
  const observer = new MutationObserver(() => {
    if (focus()) observer.disconnect()
  })
  observer.observe(document.body, { childList: true, subtree: true })
  return () => observer.disconnect()
}

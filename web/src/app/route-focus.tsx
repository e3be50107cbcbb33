import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'

/** After a change of page, focus goes to the new page's content, so that keyboard and screen reader start there. */
export function RouteFocus() {
  const { pathname } = useLocation()
  const before = useRef(pathname)
  useEffect(() => {
    if (before.current === pathname) return
    before.current = pathname
    return focusMain()
  }, [pathname])
  return null
}

/** A page may still be loading: then its content is waited for. */
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

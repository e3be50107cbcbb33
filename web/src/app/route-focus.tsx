import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'

/** Moves the focus to the new page's content after a navigation. */
export function RouteFocus() {
  useMainFocus(useLocation().pathname)
  return null
}

/**
 * Moves the focus to the content when another screen takes the place of the page, so that keyboard
 * and screen reader start there. `screen` names what is shown.
 */
export function useMainFocus(screen: string): void {
  const previousScreen = useRef(screen)
  useEffect(() => {
    if (previousScreen.current === screen) return
    previousScreen.current = screen
    return focusMain()
  }, [screen])
}

/**
 * Waits for the content if the page still loads, and follows when other content takes its place,
 * until the person acts.
 */
function focusMain(): () => void {
  let focusedMain: HTMLElement | null = null
  const focus = () => {
    const main = document.getElementById('main')
    const isLost = document.activeElement === null || document.activeElement === document.body
    if (!main || main === focusedMain || (focusedMain && !isLost)) return
    focusedMain = main
    main.focus({ preventScroll: true })
  }
  const observer = new MutationObserver(focus)
  const stop = () => {
    observer.disconnect()
    for (const type of personActs) window.removeEventListener(type, stop, { capture: true })
  }
  observer.observe(document.body, { childList: true, subtree: true })
  for (const type of personActs) window.addEventListener(type, stop, { capture: true })
  focus()
  return stop
}

const personActs = ['keydown', 'pointerdown'] as const

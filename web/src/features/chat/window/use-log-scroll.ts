import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'

/** A distance (pixels) below which the log counts as at its end. */
const nearBottom = 48
const nearTop = 96

interface LogScroll {
  log: RefObject<HTMLElement | null>
  /** Finds the divider of the new messages, where reading starts. */
  findDivider: () => HTMLElement | null
  ready: boolean
  /** The person scrolls near the oldest message. */
  onNearTop: () => void
}

/**
 * Keeps the scroll position of a log while lines are added above or below. A reader at the newest
 * message stays at the newest one, any other at the same line.
 */
export function useLogScroll({ log, findDivider, ready, onNearTop }: LogScroll) {
  const [atNewest, setAtNewest] = useState(true)
  const staysAtNewest = useRef(true)
  const hasStarted = useRef(false)
  const [isPositioned, setPositioned] = useState(false)
  const anchor = useRef<{ line: HTMLElement; top: number }>(undefined)

  function recordPosition() {
    const element = log.current
    if (!element) return
    staysAtNewest.current = element.scrollHeight - element.scrollTop - element.clientHeight < nearBottom
    anchor.current = firstLineIn(element)
    setAtNewest(staysAtNewest.current)
  }

  function scrollToNewest() {
    staysAtNewest.current = true
    setAtNewest(true)
    if (log.current) log.current.scrollTop = log.current.scrollHeight
  }

  const restorePosition = useEffectEvent(() => {
    const element = log.current
    if (!element) return
    if (staysAtNewest.current) element.scrollTop = element.scrollHeight
    else if (anchor.current?.line.isConnected) element.scrollTop = anchor.current.line.offsetTop - anchor.current.top
    if (!hasStarted.current && ready) {
      hasStarted.current = true
      setPositioned(true)
      const start = findDivider()
      if (start && start.offsetTop < element.scrollTop) element.scrollTop = start.offsetTop - start.offsetHeight
    }
    recordPosition()
  })

  // Any render may have added lines.
  useLayoutEffect(() => restorePosition())

  useEffect(() => {
    const element = log.current
    if (!element) return
    const observer = new ResizeObserver(() => restorePosition())
    observer.observe(element)
    return () => observer.disconnect()
  }, [log])

  return {
    /** Messages count as read only after the log is at its first position. */
    isPositioned,
    atNewest,
    scrollToNewest,
    onScroll() {
      recordPosition()
      const element = log.current
      if (element && element.scrollTop < nearTop && element.scrollHeight > element.clientHeight) onNearTop()
    },
  }
}

/** The first visible line, and its distance from the upper edge. */
function firstLineIn(log: HTMLElement): { line: HTMLElement; top: number } | undefined {
  for (const line of log.querySelectorAll<HTMLElement>('[data-line]')) {
    if (line.offsetTop + line.offsetHeight > log.scrollTop) return { line, top: line.offsetTop - log.scrollTop }
  }
  return undefined
}

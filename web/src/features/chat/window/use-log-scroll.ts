import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'

/** So near to an end, in pixels, is at it. */
const nearBottom = 48
const nearTop = 96

interface LogScroll {
  log: RefObject<HTMLElement | null>
  /** Where the new begins, once there is something: one starts to read there. */
  begins: () => HTMLElement | null
  ready: boolean
  /** Somebody scrolls towards what is older. */
  onTop: () => void
}

/**
 * Keeps a log where its reader is: at the newest while they are there, else with the same line in the same place, whatever is
 * added above or below.
 */
export function useLogScroll({ log, begins, ready, onTop }: LogScroll) {
  const [atNewest, setAtNewest] = useState(true)
  const sticks = useRef(true)
  const begun = useRef(false)
  const [placed, setPlaced] = useState(false)
  const anchor = useRef<{ line: HTMLElement; top: number }>(undefined)

  function note() {
    const element = log.current
    if (!element) return
    sticks.current = element.scrollHeight - element.scrollTop - element.clientHeight < nearBottom
    anchor.current = firstLineIn(element)
    setAtNewest(sticks.current)
  }

  function toNewest() {
    sticks.current = true
    setAtNewest(true)
    if (log.current) log.current.scrollTop = log.current.scrollHeight
  }

  const keepPlace = useEffectEvent(() => {
    const element = log.current
    if (!element) return
    if (sticks.current) element.scrollTop = element.scrollHeight
    else if (anchor.current?.line.isConnected) element.scrollTop = anchor.current.line.offsetTop - anchor.current.top
    if (!begun.current && ready) {
      begun.current = true
      setPlaced(true)
      const start = begins()
      if (start && start.offsetTop < element.scrollTop) element.scrollTop = start.offsetTop - start.offsetHeight
    }
    note()
  })

  // Whatever has changed.
  useLayoutEffect(() => keepPlace())

  useEffect(() => {
    const element = log.current
    if (!element) return
    const observer = new ResizeObserver(() => keepPlace())
    observer.observe(element)
    return () => observer.disconnect()
  }, [log])

  return {
    /** Until it is known where one starts to read, one reads nothing. */
    placed,
    atNewest,
    toNewest,
    onScroll() {
      note()
      const element = log.current
      if (element && element.scrollTop < nearTop && element.scrollHeight > element.clientHeight) onTop()
    },
  }
}

/** The first line in sight, and how far below the upper edge it stands. */
function firstLineIn(log: HTMLElement): { line: HTMLElement; top: number } | undefined {
  for (const line of log.querySelectorAll<HTMLElement>('[data-line]')) {
    if (line.offsetTop + line.offsetHeight > log.scrollTop) return { line, top: line.offsetTop - log.scrollTop }
  }
  return undefined
}

import { useReducedMotion } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'

/** The events of a person who moves a list. Its own movements have none of these. */
const readerEvents = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

/**
 * Scrolls a list so that its present line, marked with aria-current, stays in view. It stops when
 * the reader has scrolled that line out of view, until the line is back or `resumeFollowing` is
 * called.
 */
export function useFollowedLine(current: number, enabled: boolean) {
  const list = useRef<HTMLOListElement>(null)
  /** The latest scrolling is the reader's. */
  const byReader = useRef(false)
  const [isFollowing, setIsFollowing] = useState(true)
  const smoothly = !useReducedMotion()

  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls whenever the line changes
  useEffect(() => {
    const element = list.current
    if (!element || !enabled) return
    if (isLineInView(element)) setIsFollowing(true)
    else if (isFollowing) {
      byReader.current = false
      scrollToLine(element, smoothly)
    }
  }, [current, isFollowing, enabled, smoothly])

  useEffect(() => {
    const element = list.current
    if (!element) return
    const noteReader = () => {
      byReader.current = true
    }
    const check = () => {
      if (byReader.current) setIsFollowing(isLineInView(element))
    }
    for (const name of readerEvents) element.addEventListener(name, noteReader, { passive: true })
    element.addEventListener('scroll', check)
    return () => {
      for (const name of readerEvents) element.removeEventListener(name, noteReader)
      element.removeEventListener('scroll', check)
    }
  }, [])

  return { list, isFollowing, resumeFollowing: () => setIsFollowing(true) }
}

const findLine = (list: HTMLElement) => list.querySelector<HTMLElement>('[aria-current]')

function scrollToLine(list: HTMLElement, smoothly: boolean): void {
  const line = findLine(list)
  if (!line) return
  // Only the list moves: `scrollIntoView` would move the page, too.
  const top = line.offsetTop - (list.clientHeight - line.offsetHeight) / 2
  list.scrollTo({ top, behavior: smoothly ? 'smooth' : 'auto' })
}

function isLineInView(list: HTMLElement): boolean {
  const line = findLine(list)
  if (!line) return true
  return line.offsetTop >= list.scrollTop && line.offsetTop + line.offsetHeight <= list.scrollTop + list.clientHeight
}

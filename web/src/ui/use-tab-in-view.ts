import { useEffect, useRef } from 'react'

/**
 * Scrolls the tab list to the open tab on a phone, also after a reload. The page itself stays where
 * it is. Pass the ref to the tab list.
 */
export function useTabInView(tab: string) {
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another tab can be out of view
  useEffect(() => {
    const openTab = list.current?.querySelector('[aria-selected="true"]')
    if (!list.current || !openTab) return
    const view = list.current.getBoundingClientRect()
    const { left, right } = openTab.getBoundingClientRect()
    list.current.scrollLeft += Math.min(0, left - view.left) + Math.max(0, right - view.right)
  }, [tab])
  return list
}

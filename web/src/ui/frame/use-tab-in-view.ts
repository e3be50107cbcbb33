import { useEffect, useRef } from 'react'

/** Width of the fade at the edges (tab-bar.module.css), px. The open tab must not lie under it. */
const fadeWidth = 40

/**
 * Scrolls the tab list to the open tab on a phone, also after a reload. The page itself stays where
 * it is. The open tab gets the focus if the change hides the focused element. Pass the ref to the
 * tab list.
 */
export function useTabInView(tab: string) {
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another tab can be out of view
  useEffect(() => {
    const tabList = list.current
    const openTab = tabList?.querySelector('[aria-selected="true"]')
    if (!tabList || !openTab) return
    const { activeElement } = document
    if (activeElement?.checkVisibility?.() === false) (openTab as HTMLElement).focus()
    const showOpenTab = () => {
      const view = tabList.getBoundingClientRect()
      // A list that is not laid out has no place to scroll to.
      if (view.width === 0) return
      const { left, right } = openTab.getBoundingClientRect()
      tabList.scrollLeft += Math.min(0, left - fadeWidth - view.left) + Math.max(0, right + fadeWidth - view.right)
    }
    // It calls once at the start. A badge or a font that loads later makes the tabs before it
    // wider.
    const observer = new ResizeObserver(showOpenTab)
    for (const item of tabList.children) observer.observe(item)
    return () => observer.disconnect()
  }, [tab])
  return list
}

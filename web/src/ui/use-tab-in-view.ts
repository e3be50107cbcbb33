import { useEffect, useRef } from 'react'

/** Scrolls the open tab into view on a phone, also after a reload. Pass the ref to the tab list. */
export function useTabInView(tab: string) {
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another tab can be out of view
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [tab])
  return list
}

import { useEffect, useRef } from 'react'

/** On a phone the tabs scroll: the one that is open, also after a reload, is not left outside. Give the ref to their list. */
export function useTabInView(tab: string) {
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is another tab that may be outside
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [tab])
  return list
}

import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'

/**
 * The text of a search field, and the search after a pause in typing. The address repeats the
 * search.
 */
export function useSearch() {
  const [params, setParams] = useSearchParams()
  const searchParam = params.get('search') ?? ''
  const [text, setText] = useState(searchParam)
  const [query] = useDebouncedValue(text.trim().slice(0, limits.nameMaxLength), limits.searchDebounceMs)

  // biome-ignore lint/correctness/useExhaustiveDependencies: only the search changes the address
  useEffect(() => {
    if (query === searchParam) return
    const next = new URLSearchParams(params)
    if (query === '') next.delete('search')
    else next.set('search', query)
    setParams(next, { replace: true })
  }, [query])

  return { text, setText, query }
}

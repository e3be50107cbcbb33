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
    const nextParams = new URLSearchParams(params)
    if (query === '') nextParams.delete('search')
    else nextParams.set('search', query)
    setParams(nextParams, { replace: true })
  }, [query])

  return { text, setText, query }
}

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
  const given = params.get('search') ?? ''
  const [typed, setTyped] = useState(given)
  const [asked] = useDebouncedValue(typed.trim().slice(0, limits.nameMaxLength), limits.searchTypingMs)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the address follows the search, never the reverse
  useEffect(() => {
    if (asked === given) return
    const next = new URLSearchParams(params)
    if (asked === '') next.delete('search')
    else next.set('search', asked)
    setParams(next, { replace: true })
  }, [asked])

  return { typed, setTyped, asked }
}

import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'

/** What is typed into a search field, and what is asked when the typing rests; that stands in the address, too. */
export function useSearch() {
  const [params, setParams] = useSearchParams()
  const given = params.get('search') ?? ''
  const [typed, setTyped] = useState(given)
  const [asked] = useDebouncedValue(typed.trim().slice(0, limits.nameMaxLength), limits.searchTypingMs)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the address follows what is asked, never the other way round
  useEffect(() => {
    if (asked === given) return
    const next = new URLSearchParams(params)
    if (asked === '') next.delete('search')
    else next.set('search', asked)
    setParams(next, { replace: true })
  }, [asked])

  return { typed, setTyped, asked }
}

import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import { useState } from 'react'

/** The text of a search field, and the search after a pause in typing. */
export function useNameSearch() {
  const [text, setText] = useState('')
  const [query] = useDebouncedValue(text.trim(), limits.searchDebounceMs)
  return { text, setText, query }
}

interface NameSearchProps {
  search: ReturnType<typeof useNameSearch>
  label?: string
  placeholder?: string
}

export function NameSearch({ search, label = 'Search', placeholder = 'Beginning of a name' }: NameSearchProps) {
  return (
    <TextInput
      label={label}
      type="search"
      placeholder={placeholder}
      maxLength={limits.groupNameMaxLength}
      value={search.text}
      onChange={event => search.setText(event.currentTarget.value)}
      flex="1 1 220px"
      maw={480}
    />
  )
}

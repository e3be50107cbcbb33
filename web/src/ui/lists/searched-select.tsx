import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import { useState } from 'react'

export interface Choice {
  id: string
  name: string
}

/** The most choices that a field offers. Typing finds the others. */
export const offeredCount = 50

/** Searches for the typed text after a pause. The name of the chosen one is not searched for. */
export function useTypedSearch(chosen: Choice | undefined) {
  const [text, setText] = useState('')
  const isTyped = text !== '' && text !== chosen?.name
  const [search] = useDebouncedValue(isTyped ? text.trim() : '', limits.searchDebounceMs)
  return { search: search || undefined, setText }
}

interface SearchedSelectProps {
  label: string
  placeholder: string
  value: Choice | undefined
  /** The answer of the server to the search; undefined while it loads. */
  found: readonly Choice[] | undefined
  nothingFound: string
  onOpen?: () => void
  onSearch: (text: string) => void
  onChange: (choice: Choice | undefined) => void
}

/** Chooses one of more things than fit into a list. The server searches. */
export function SearchedSelect({
  value,
  found,
  nothingFound,
  onOpen,
  onSearch,
  onChange,
  ...field
}: SearchedSelectProps) {
  const offered = found ?? []
  const choices = value && !offered.some(({ id }) => id === value.id) ? [value, ...offered] : offered
  return (
    <Select
      {...field}
      searchable
      clearable
      nothingFoundMessage={found ? nothingFound : 'Loading…'}
      // The server has searched already.
      filter={({ options }) => options}
      data={choices.map(({ id, name }) => ({ value: id, label: name }))}
      value={value?.id ?? null}
      onDropdownOpen={onOpen}
      onSearchChange={onSearch}
      onChange={id => {
        const chosen = choices.find(choice => choice.id === id)
        onChange(chosen && { id: chosen.id, name: chosen.name })
      }}
    />
  )
}

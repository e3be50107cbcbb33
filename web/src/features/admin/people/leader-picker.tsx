import { Button, Loader, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { type RefObject, useRef, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import type { Page } from '../../../api/gateway.ts'

/** The most matches that the list shows. */
export const leadersShown = 50

export interface LeaderSearch {
  /** The search for the server. */
  search: string
  field: RefObject<HTMLInputElement | null>
  /** Properties that turn a Select into a search field. */
  box: {
    onInput: (event: { currentTarget: HTMLInputElement }) => void
    searchValue: string
    onSearchChange: (shown: string) => void
    onDropdownOpen: () => void
    onDropdownClose: () => void
  }
}

/** The search in a field that shows a person's current leader the rest of the time. */
export function useLeaderSearch(): LeaderSearch {
  const field = useRef<HTMLInputElement>(null)
  // Only typed text is a search; the name of the current leader is not.
  const [typed, setTyped] = useState('')
  const [shown, setShown] = useState('')
  const shownBefore = useRef('')
  const [debounced] = useDebouncedValue(typed.trim(), limits.searchDebounceMs)

  return {
    search: typed === '' ? '' : debounced,
    field,
    box: {
      onInput: event => setTyped(event.currentTarget.value),
      searchValue: shown,
      onSearchChange: setShown,
      onDropdownOpen() {
        shownBefore.current = shown
        // Selected text is replaced by the first key. If typing opened the list, nothing is
        // selected.
        if (field.current?.value === shown) field.current.select()
      },
      /** An abandoned search or a rejected pick leaves nothing in the field. */
      onDropdownClose() {
        setTyped('')
        setShown(shownBefore.current)
      },
    },
  }
}

interface LeaderPickerProps {
  label: string
  /** The leader's role within a sentence. */
  noun: string
  searching: LeaderSearch
  /** The answer to the search. */
  found: { data?: Page<User>; error?: unknown }
  /** The entry of a leader in the list. */
  choiceOf: (leader: User) => { label: string; disabled?: boolean }
  current: { id: string; name: string } | undefined
  /** The person has the role that can have such a leader. */
  ready: boolean
  saving: boolean
  /** null removes the person from their leader. */
  onPick: (leader: User | null) => void
  takeAway: string
}

/** Picks a person's leader by name, among all leaders. A pick is saved at once. */
export function LeaderPicker(props: LeaderPickerProps) {
  const { label, noun, searching, found, choiceOf, current, ready, saving, onPick, takeAway } = props
  const { data, error } = found
  const listItems = (data?.items ?? []).map(leader => ({ value: leader.id, ...choiceOf(leader) }))
  const isListed = listItems.some(({ value }) => value === current?.id)
  // A search shows only its matches, so the current leader is added only without one.
  const choices =
    current && !isListed && searching.search === ''
      ? [{ value: current.id, label: current.name }, ...listItems]
      : listItems
  const hidden = (data?.total ?? 0) - listItems.length

  function pick(id: string | null) {
    const picked = data?.items.find(leader => leader.id === id)
    if (picked) onPick(picked)
  }

  return (
    <>
      <Select
        ref={searching.field}
        label={label}
        description={ready ? 'Saved as soon as you pick one.' : `Update the role first, then pick a ${noun}.`}
        placeholder="Type a name"
        data={choices}
        value={current?.id ?? null}
        onChange={pick}
        searchable
        allowDeselect={false}
        {...searching.box}
        filter={({ options }) => options}
        disabled={!ready}
        readOnly={saving}
        rightSection={saving ? <Loader size="xs" /> : undefined}
        nothingFoundMessage={error ? asFailure(error).message : data ? `No ${noun} found` : 'Loading…'}
        // The listbox itself scrolls, because a scroll area around it would be one more stop for
        // the keyboard.
        withScrollArea={false}
        styles={{ options: { maxHeight: 280, overflowY: 'auto' } }}
        comboboxProps={{ withinPortal: true }}
      />
      {hidden > 0 && ready ? (
        <small>{`The first ${listItems.length} of ${data?.total?.toLocaleString()} are listed; type a name to find others.`}</small>
      ) : null}
      {current && ready ? (
        <Button variant="subtle" onClick={() => onPick(null)} disabled={saving}>
          {takeAway}
        </Button>
      ) : null}
    </>
  )
}

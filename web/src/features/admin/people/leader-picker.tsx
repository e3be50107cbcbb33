import { Button, Loader, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { type RefObject, useRef, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import type { Page } from '../../../api/gateway.ts'

/** How many of those who are found are listed. */
export const leadersShown = 50

export interface LeaderSearch {
  /** What to ask the server for. */
  search: string
  field: RefObject<HTMLInputElement | null>
  /** What makes the field a search. */
  box: {
    onInput: (event: { currentTarget: HTMLInputElement }) => void
    searchValue: string
    onSearchChange: (shown: string) => void
    onDropdownOpen: () => void
    onDropdownClose: () => void
  }
}

/** The search in a field that otherwise shows whom a person is under. */
export function useLeaderSearch(): LeaderSearch {
  const field = useRef<HTMLInputElement>(null)
  // What is typed is a search; what the field shows besides, the current leader, is not.
  const [typed, setTyped] = useState('')
  const [shown, setShown] = useState('')
  const shownBefore = useRef('')
  const [settled] = useDebouncedValue(typed.trim(), limits.searchTypingMs)

  return {
    search: typed === '' ? '' : settled,
    field,
    box: {
      onInput: event => setTyped(event.currentTarget.value),
      searchValue: shown,
      onSearchChange: setShown,
      onDropdownOpen() {
        shownBefore.current = shown
        // What is typed first replaces the leader's name; typing itself may have opened the list.
        if (field.current?.value === shown) field.current.select()
      },
      /** A search that was left, or a pick that was refused, leaves nothing in the field. */
      onDropdownClose() {
        setTyped('')
        setShown(shownBefore.current)
      },
    },
  }
}

interface LeaderPickerProps {
  label: string
  /** What the leader is called within a sentence. */
  noun: string
  searching: LeaderSearch
  /** The answer to the search. */
  found: { data?: Page<User>; error?: unknown }
  /** A leader as the list shows them. */
  choiceOf: (leader: User) => { label: string; disabled?: boolean }
  current: { id: string; name: string } | undefined
  /** The person has the role in which they can have such a leader. */
  ready: boolean
  saving: boolean
  /** null takes the person away. */
  onPick: (leader: User | null) => void
  takeAway: string
}

/** Picks whom a person is under among all there are, by name; picking is doing. */
export function LeaderPicker(props: LeaderPickerProps) {
  const { label, noun, searching, found, choiceOf, current, ready, saving, onPick, takeAway } = props
  const { data, error } = found
  const listed = (data?.items ?? []).map(leader => ({ value: leader.id, ...choiceOf(leader) }))
  const isListed = listed.some(({ value }) => value === current?.id)
  // A search shows what it found and nothing else; the field remembers its own words.
  const choices =
    current && !isListed && searching.search === '' ? [{ value: current.id, label: current.name }, ...listed] : listed
  const hidden = (data?.total ?? 0) - listed.length

  function pick(id: string | null) {
    const leader = data?.items.find(each => each.id === id)
    if (leader) onPick(leader)
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
        // The listbox itself scrolls: a scroll area around it would have to be reached by keyboard.
        withScrollArea={false}
        styles={{ options: { maxHeight: 280, overflowY: 'auto' } }}
        comboboxProps={{ withinPortal: true }}
      />
      {hidden > 0 && ready ? (
        <small>{`The first ${listed.length} of ${data?.total?.toLocaleString()} are listed; type a name to find others.`}</small>
      ) : null}
      {current && ready ? (
        <Button variant="subtle" onClick={() => onPick(null)} disabled={saving}>
          {takeAway}
        </Button>
      ) : null}
    </>
  )
}

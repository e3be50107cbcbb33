import { Button, CheckIcon, Loader, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { type RefObject, useRef, useState } from 'react'
import { asFailure, explainFailure } from '../../../api/failure.ts'
import type { Page } from '../../../api/gateway.ts'
import { formatNumber } from '../../../ui/dates/format.ts'

/** The most matches that the list shows. */
export const leadersShown = 50

export interface LeaderSearch {
  /** The search for the server. */
  search: string
  field: RefObject<HTMLInputElement | null>
  /** Properties that turn a Select into a search field. */
  selectProps: {
    onInput: (event: { currentTarget: HTMLInputElement }) => void
    searchValue: string
    onSearchChange: (text: string) => void
    onDropdownOpen: () => void
    onDropdownClose: () => void
  }
}

/** The search in a field that shows a person's current leader the rest of the time. */
export function useLeaderSearch(): LeaderSearch {
  const field = useRef<HTMLInputElement>(null)
  // Only typed text is a search; the name of the current leader is not.
  const [typedText, setTypedText] = useState('')
  const [shownText, setShownText] = useState('')
  const previousText = useRef('')
  const [debouncedText] = useDebouncedValue(typedText.trim(), limits.searchDebounceMs)

  return {
    search: typedText === '' ? '' : debouncedText,
    field,
    selectProps: {
      onInput: event => setTypedText(event.currentTarget.value),
      searchValue: shownText,
      onSearchChange: setShownText,
      onDropdownOpen() {
        previousText.current = shownText
        // Selected text is replaced by the first key. If typing opened the list, nothing is
        // selected.
        if (field.current?.value === shownText) field.current.select()
      },
      /** An abandoned search or a rejected pick leaves nothing in the field. */
      onDropdownClose() {
        setTypedText('')
        setShownText(previousText.current)
      },
    },
  }
}

interface LeaderPickerProps {
  label: string
  /** The leader's role within a sentence. */
  noun: string
  leaderSearch: LeaderSearch
  /** The answer to the search. */
  searchResult: { data?: Page<User>; error?: unknown }
  /** The size of a leader's team as the list shows it, and whether the leader cannot be chosen. */
  choiceOf: (leader: User) => { team: string; disabled?: boolean }
  current: { id: string; name: string } | null
  isSaving: boolean
  /** null removes the person from their leader. */
  onPick: (leader: User | null) => void
  removeLabel: string
}

/** Picks a person's leader by name, among all leaders. */
export function LeaderPicker(props: LeaderPickerProps) {
  const { label, noun, leaderSearch, searchResult, choiceOf, current, isSaving, onPick, removeLabel } = props
  const { data, error } = searchResult
  const listItems = (data?.items ?? []).map(leader => {
    const { team, disabled } = leader.deactivated_at ? { team: 'deactivated', disabled: true } : choiceOf(leader)
    return { value: leader.id, label: `${leader.name} (${team})`, name: leader.name, team, disabled }
  })
  const isListed = listItems.some(({ value }) => value === current?.id)
  // A search shows only its matches, so the current leader is added only without one.
  const choices =
    current && !isListed && leaderSearch.search === ''
      ? [{ value: current.id, label: current.name }, ...listItems]
      : listItems
  const hiddenCount = (data?.total ?? 0) - listItems.length

  function pickLeader(id: string | null) {
    const pickedLeader = data?.items.find(leader => leader.id === id)
    if (pickedLeader) onPick(pickedLeader)
  }

  /** The button goes away with the leader, so the focus moves to the field. */
  function removeLeader() {
    onPick(null)
    leaderSearch.field.current?.focus()
  }

  return (
    <>
      <Select
        ref={leaderSearch.field}
        label={label}
        placeholder="Beginning of a name"
        data={choices}
        value={current?.id ?? null}
        onChange={pickLeader}
        searchable
        allowDeselect={false}
        {...leaderSearch.selectProps}
        filter={({ options }) => options}
        renderOption={({ option, checked }) => {
          const leader = listItems.find(({ value }) => value === option.value)
          return (
            <>
              {checked && <CheckIcon size={12} />}
              {/* A name that is written from right to left leaves the brackets where they are. */}
              <span>
                <bdi>{leader?.name ?? option.label}</bdi>
                {leader && ` (${leader.team})`}
              </span>
            </>
          )
        }}
        readOnly={isSaving}
        rightSection={isSaving ? <Loader size="xs" /> : undefined}
        nothingFoundMessage={error ? explainFailure(asFailure(error)) : data ? `No ${noun} found` : 'Loading…'}
        // The listbox itself scrolls, because a scroll area around it would be one more stop for
        // the keyboard.
        withScrollArea={false}
        styles={{ options: { maxHeight: 280, overflowY: 'auto' } }}
        comboboxProps={{ withinPortal: true }}
      />
      {hiddenCount > 0 ? (
        <small>{`The first ${listItems.length} of ${formatNumber(data?.total)} are listed; type a name to find others.`}</small>
      ) : null}
      {current ? (
        <Button variant="subtle" onClick={removeLeader} disabled={isSaving}>
          {removeLabel}
        </Button>
      ) : null}
    </>
  )
}

import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import type { AssignableRole, User } from '@watchline/contracts/people'
import { useState } from 'react'
import { asFailure, explainFailure } from '../../api/failure.ts'
import { useListTeamQuery } from '../../api/lists.ts'
import styles from './people-select.module.css'
import { MarkedEmail } from './unverified-mark.tsx'

export interface ChosenPerson {
  id: string
  name: string
}

interface PeopleSelectProps {
  label: string
  description?: string
  /** Offers people of this role only. */
  roleOnly?: AssignableRole | undefined
  /** Offers no trainees. */
  staffOnly?: boolean
  max: number
  chosen: readonly ChosenPerson[]
  error?: string | undefined
  /** The field of a dialog that gets the focus when the dialog opens. */
  hasFirstFocus?: boolean
  onChoose: (people: ChosenPerson[]) => void
}

/** The most people that the list offers. */
const offeredCount = 20

/** Chooses people of the whole organisation by the beginning of name or email address. */
export function PeopleSelect({
  label,
  description,
  roleOnly,
  staffOnly,
  max,
  chosen,
  error,
  hasFirstFocus,
  onChoose,
}: PeopleSelectProps) {
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), limits.searchDebounceMs)
  const only_staff = staffOnly ? 'true' : undefined
  const found = useListTeamQuery({
    query: { search: search || undefined, role: roleOnly, only_staff, limit: offeredCount },
  })
  const people = (found.data?.items ?? []).filter(person => !person.deactivated_at)
  const known = new Map<string, ChosenPerson>([...people, ...chosen].map(person => [person.id, person]))
  const nothingFound = found.error ? explainFailure(asFailure(found.error)) : found.data ? 'Nobody found' : 'Loading…'
  return (
    <MultiSelect
      label={label}
      description={description}
      placeholder={chosen.length === 0 ? 'Beginning of a name or email' : ''}
      data={[...known.values()].map(({ id, name }) => ({ value: id, label: name }))}
      value={chosen.map(({ id }) => id)}
      maxValues={max}
      error={error}
      data-autofocus={hasFirstFocus || undefined}
      searchable
      searchValue={text}
      onSearchChange={setText}
      hidePickedOptions
      // The server has searched already.
      filter={({ options }) => options}
      onChange={ids => onChoose(ids.flatMap(id => known.get(id) ?? []).map(({ id, name }) => ({ id, name })))}
      renderOption={({ option }) => (
        <span className={styles.option}>
          <bdi className={styles.cut}>{option.label}</bdi>
          <OfferedEmail person={people.find(({ id }) => id === option.value)} />
        </span>
      )}
      nothingFoundMessage={nothingFound}
      withScrollArea={false}
      styles={{ options: { maxHeight: 280, overflowY: 'auto' } }}
      comboboxProps={{ withinPortal: true }}
    />
  )
}

/** Absent for a chosen person whom the present search does not find. */
function OfferedEmail({ person }: { person: User | undefined }) {
  return person ? <MarkedEmail email={person.email} verified={person.email_verified} /> : null
}

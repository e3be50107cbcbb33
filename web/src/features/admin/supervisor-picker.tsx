import { Button, Loader, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { useRef, useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { useAlerts } from '../../ui/alerts.tsx'
import { useChangeSupervisorMutation, useListSupervisorsQuery } from './admin-api.ts'

const mostShown = 50

interface SupervisorPickerProps {
  person: User
  /** The person as a change has left them. */
  onChanged: (person: User) => void
}

/** Picks a user's supervisor among all there are, by name; picking is doing. Those whose team is full cannot be picked. */
export function SupervisorPicker({ person, onChanged }: SupervisorPickerProps) {
  const alerts = useAlerts()
  const field = useRef<HTMLInputElement>(null)
  // What is typed is a search; what the field shows besides, the current supervisor, is not.
  const [typed, setTyped] = useState('')
  const [shown, setShown] = useState('')
  const shownBefore = useRef('')
  const [settled] = useDebouncedValue(typed.trim(), limits.searchTypingMs)
  const search = typed === '' ? '' : settled
  const [changeSupervisor, { isLoading }] = useChangeSupervisorMutation()
  const { data, error } = useListSupervisorsQuery({ query: { limit: mostShown, search: search || undefined } })
  const isUserYet = person.role === 'user'

  const found = (data?.items ?? []).map(({ id, name, user_count = 0 }) => ({
    value: id,
    label: `${name} (${user_count}/${limits.supervisorCapacity})`,
    disabled: user_count >= limits.supervisorCapacity && id !== person.supervisor_id,
  }))
  const isListed = found.some(({ value }) => value === person.supervisor_id)
  const current = person.supervisor_id && { value: person.supervisor_id, label: person.supervisor_name ?? 'Unknown' }
  // A search shows what it found and nothing else; the field remembers its own words.
  const choices = current && !isListed && search === '' ? [current, ...found] : found
  const hidden = (data?.total ?? 0) - found.length

  function open() {
    shownBefore.current = shown
    // What is typed first replaces the supervisor's name; typing itself may have opened the list.
    if (field.current?.value === shown) field.current.select()
  }

  /** A search that was left, or a pick that was refused, leaves nothing in the field. */
  function close() {
    setTyped('')
    setShown(shownBefore.current)
  }

  async function assign(supervisorId: string | null) {
    const picked = data?.items.find(({ id }) => id === supervisorId)
    const result = await changeSupervisor({ params: { id: person.id }, query: { supervisor_id: supervisorId ?? '' } })
    if (result.error) return alerts.fail('Failed to assign supervisor', asFailure(result.error))
    onChanged({ ...result.data.user, supervisor_name: picked?.name ?? null })
    alerts.succeed(picked ? `${person.name} is in the team of ${picked.name}` : `${person.name} has no supervisor now`)
    field.current?.focus()
  }

  return (
    <>
      <Select
        ref={field}
        label="Supervisor"
        description={isUserYet ? 'Saved as soon as you pick one.' : 'Update the role first, then pick a supervisor.'}
        placeholder="Type a name"
        data={choices}
        value={person.supervisor_id}
        onChange={assign}
        searchable
        allowDeselect={false}
        onInput={event => setTyped(event.currentTarget.value)}
        searchValue={shown}
        onSearchChange={setShown}
        onDropdownOpen={open}
        onDropdownClose={close}
        filter={({ options }) => options}
        disabled={!isUserYet}
        readOnly={isLoading}
        rightSection={isLoading ? <Loader size="xs" /> : undefined}
        nothingFoundMessage={error ? asFailure(error).message : data ? 'No supervisor found' : 'Loading…'}
        // The listbox itself scrolls: a scroll area around it would have to be reached by keyboard.
        withScrollArea={false}
        styles={{ options: { maxHeight: 280, overflowY: 'auto' } }}
        comboboxProps={{ withinPortal: true }}
      />
      {hidden > 0 && isUserYet ? (
        <small>{`The first ${found.length} of ${data?.total?.toLocaleString()}${data?.total === limits.countedAtMost ? '+' : ''} are listed; type a name to find others.`}</small>
      ) : null}
      {current && isUserYet ? (
        <Button variant="subtle" onClick={() => assign(null)} disabled={isLoading}>
          Take out of the team
        </Button>
      ) : null}
    </>
  )
}

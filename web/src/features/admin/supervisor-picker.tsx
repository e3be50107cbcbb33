import { Button, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { useAlerts } from '../../ui/alerts.tsx'
import { useChangeSupervisorMutation, useListSupervisorsQuery } from './admin-api.ts'

const typingMs = 300
const mostShown = 50

/** Picks a user's supervisor among all there are, by name; picking is doing. */
export function SupervisorPicker({ person }: { person: User }) {
  const alerts = useAlerts()
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), typingMs)
  const [changeSupervisor, { isLoading }] = useChangeSupervisorMutation()
  const isUserYet = person.role === 'user'

  const current = person.supervisor_id
    ? { value: person.supervisor_id, label: person.supervisor_name ?? 'Unknown' }
    : undefined
  // The field shows the current supervisor's label, which is not a search.
  const asked = current && search.startsWith(current.label) ? '' : search
  const { data, error } = useListSupervisorsQuery({ query: { limit: mostShown, search: asked || undefined } })
  const found = (data?.items ?? []).map(supervisor => ({
    value: supervisor.id,
    label: `${supervisor.name} (${supervisor.user_count ?? 0}/${limits.supervisorCapacity})`,
  }))
  const choices = current && !found.some(({ value }) => value === current.value) ? [current, ...found] : found

  async function assign(supervisorId: string | null) {
    if (supervisorId === person.supervisor_id) return
    const result = await changeSupervisor({
      params: { id: person.id },
      query: { supervisor_id: supervisorId ?? '' },
    })
    if (result.error) alerts.fail('Failed to assign supervisor', asFailure(result.error))
    else alerts.succeed(supervisorId ? `${person.name} has a new supervisor` : `${person.name} has no supervisor now`)
  }

  return (
    <>
      <Select
        label="Supervisor"
        description={isUserYet ? 'Saved as soon as you pick one.' : 'Update the role first, then pick a supervisor.'}
        placeholder="Pick a supervisor"
        data={choices}
        value={person.supervisor_id}
        onChange={assign}
        searchable
        onSearchChange={setTyped}
        filter={({ options }) => options}
        disabled={!isUserYet || isLoading}
        nothingFoundMessage={error ? asFailure(error).message : 'No supervisor found'}
        maxDropdownHeight={280}
        comboboxProps={{ withinPortal: true }}
      />
      {current && isUserYet ? (
        <Button variant="subtle" onClick={() => assign(null)} disabled={isLoading}>
          Take out of the team
        </Button>
      ) : null}
    </>
  )
}

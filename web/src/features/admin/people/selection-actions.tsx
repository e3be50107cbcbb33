import { Button, Group, Stack } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { useRef, useState } from 'react'
import { asFailure, explainFailure } from '../../../api/failure.ts'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { formatCount, formatNumber } from '../../../ui/dates/format.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useChangeSupervisorMutation } from '../admin-api.ts'
import { SupervisorPicker } from './supervisor-picker.tsx'
import type { PickedLeader } from './use-person-changes.ts'
import type { SelectedPeople } from './use-selected-people.ts'

const formatPeople = (count: number) => formatCount(count, 'person', 'people')

/** Buttons for the selected people; nothing while nobody is selected. */
export function SelectionActions({ selected }: { selected: SelectedPeople }) {
  const [isOpen, setOpen] = useState(false)
  const { people } = selected
  return (
    <>
      {people.length > 0 ? (
        <Group mb="sm" role="group" aria-label="Selected people">
          <span className="wl-figures" role="status">{`${formatNumber(people.length)} selected`}</span>
          <Button size="xs" onClick={() => setOpen(true)}>
            Add to a team
          </Button>
          <Button size="xs" variant="subtle" onClick={() => selected.select(people, false)}>
            Clear selection
          </Button>
        </Group>
      ) : null}
      <StackedDialog name="add-to-team" opened={isOpen} onClose={() => setOpen(false)} title="Add to a team">
        {isOpen ? <AddToTeam selected={selected} onDone={() => setOpen(false)} /> : null}
      </StackedDialog>
    </>
  )
}

/** Puts the selected people into one supervisor's team, person by person. */
function AddToTeam({ selected, onDone }: { selected: SelectedPeople; onDone: () => void }) {
  const alerts = useAlerts()
  const [supervisor, setSupervisor] = useState<PickedLeader>(null)
  const [isSaving, setSaving] = useState(false)
  const isBusy = useRef(false)
  const [changeSupervisor] = useChangeSupervisorMutation()
  const { people } = selected
  const movers = people.filter(({ supervisor_id }) => supervisor_id && supervisor_id !== supervisor?.id)
  const isTooMany = people.length > limits.supervisorCapacity

  async function addAll(team: { id: string; name: string }) {
    if (isBusy.current) return
    isBusy.current = true
    setSaving(true)
    const added: User[] = []
    const failures: string[] = []
    for (const person of people) {
      const result = await changeSupervisor({ params: { id: person.id }, query: { supervisor_id: team.id } })
      if (result.error) {
        failures.push(`${person.name}: ${explainFailure(asFailure(result.error))}`)
      } else added.push(person)
    }
    isBusy.current = false
    setSaving(false)
    // Those who could not be added stay selected.
    selected.select(added, false)
    if (added.length > 0)
      alerts.succeed(
        `${formatPeople(added.length)} ${added.length === 1 ? 'is' : 'are'} now in the team of ${team.name}`,
      )
    if (failures.length === 0) return onDone()
    alerts.announce({
      kind: 'error',
      message: `${formatPeople(failures.length)} could not be added to the team of ${team.name}`,
      detail: failures.join(' · '),
    })
  }

  return (
    <Stack>
      <p>{people.map(({ name }) => name).join(', ')}</p>
      <SupervisorPicker
        picked={supervisor}
        countNewMembers={id => people.filter(({ supervisor_id }) => supervisor_id !== id).length}
        isSaving={isSaving}
        onPick={setSupervisor}
      />
      <div role="status">
        {isTooMany ? (
          <p>{`A team has at most ${limits.supervisorCapacity} users, and ${people.length} people are selected.`}</p>
        ) : (
          <p>{`A team has at most ${limits.supervisorCapacity} users. Teams without room for ${formatPeople(people.length)} cannot be chosen.`}</p>
        )}
        {movers.length > 0 ? (
          <p>{`${formatPeople(movers.length)} will leave their present team. Their playlists stay assigned.`}</p>
        ) : null}
      </div>
      <Group>
        <Button
          onClick={() => supervisor && addAll(supervisor)}
          disabled={!supervisor || isTooMany || people.length === 0}
          loading={isSaving}
        >
          {supervisor ? `Add to team of ${supervisor.name}` : 'Add to team'}
        </Button>
        <Button variant="default" onClick={onDone} disabled={isSaving}>
          Cancel
        </Button>
      </Group>
    </Stack>
  )
}

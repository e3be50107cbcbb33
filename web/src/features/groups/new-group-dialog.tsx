import { Select, Stack, TextInput } from '@mantine/core'
import type { Group, GroupSource } from '@watchline/contracts/groups'
import { limits } from '@watchline/contracts/limits'
import { type FormEvent, useState } from 'react'
import { StackedDialog } from '../../ui/controls/stacked-dialog.tsx'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import { useSending } from '../../ui/hooks/use-sending.ts'
import { type ChosenPerson, PeopleSelect } from '../../ui/people/people-select.tsx'
import { AssignersField, FormEnd, NameField } from './group-fields.tsx'
import { useCreateGroupMutation, useListGroupClaimsQuery } from './groups-api.ts'

type SourceKind = GroupSource['kind']

const sourceNames: Record<SourceKind, string> = {
  manual: 'By hand or from a file',
  team: 'The team of a supervisor',
  manager: 'All teams of a manager',
  claim: 'A value from the sign-in provider, such as a department',
}

interface NewGroupDialogProps {
  opened: boolean
  onClose: () => void
  onCreated: (group: Group) => void
}

export function NewGroupDialog({ opened, onClose, onCreated }: NewGroupDialogProps) {
  return (
    <StackedDialog name="new-group" opened={opened} onClose={onClose} title="New group">
      <NewGroupForm
        onCancel={onClose}
        onCreated={group => {
          onClose()
          onCreated(group)
        }}
      />
    </StackedDialog>
  )
}

interface NewGroupFormProps {
  onCancel: () => void
  onCreated: (group: Group) => void
}

function NewGroupForm({ onCancel, onCreated }: NewGroupFormProps) {
  const alerts = useAlerts()
  const [name, setName] = useState('')
  const [kind, setKind] = useState<SourceKind>('manual')
  const [leader, setLeader] = useState<readonly ChosenPerson[]>([])
  const [claim, setClaim] = useState<string | null>(null)
  const [value, setValue] = useState('')
  const [assigners, setAssigners] = useState<readonly ChosenPerson[]>([])
  const [isIncomplete, setIncomplete] = useState(false)
  const { data: { claims } = { claims: [] } } = useListGroupClaimsQuery()
  const { isSending, refusal, send } = useSending()
  const [create] = useCreateGroupMutation()
  const chosenClaim = claim ?? claims[0]
  const kinds = (Object.keys(sourceNames) as SourceKind[]).filter(option => option !== 'claim' || claims.length > 0)

  function chosenSource(): GroupSource | undefined {
    const leaderId = leader[0]?.id
    if (kind === 'manual') return { kind }
    if (kind === 'claim')
      return chosenClaim && value.trim() ? { kind, claim: chosenClaim, value: value.trim() } : undefined
    if (!leaderId) return undefined
    return kind === 'team' ? { kind, supervisor_id: leaderId } : { kind, manager_id: leaderId }
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    const source = chosenSource()
    setIncomplete(name.trim() === '' || !source)
    if (name.trim() === '' || !source) return
    const body = { name, source, assigners: assigners.map(({ id }) => id) }
    const answer = await send(() => create({ body }), 'The group could not be created. Please try again.')
    if (!answer) return
    alerts.succeed(`The group “${answer.group.name}” is created`)
    onCreated(answer.group)
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <NameField name={name} isIncomplete={isIncomplete} onName={setName} />
        <Select
          label="Members"
          description={
            kind === 'manual'
              ? 'You add and remove people.'
              : 'The group follows these people: they join and leave automatically.'
          }
          data={kinds.map(option => ({ value: option, label: sourceNames[option] }))}
          value={kind}
          allowDeselect={false}
          onChange={option => {
            setKind(option as SourceKind)
            setLeader([])
          }}
        />
        {kind === 'team' || kind === 'manager' ? (
          <PeopleSelect
            key={kind}
            label={kind === 'team' ? 'Supervisor' : 'Manager'}
            roleOnly={kind === 'team' ? 'supervisor' : 'manager'}
            max={1}
            chosen={leader}
            error={
              isIncomplete && leader.length === 0 ? `Choose a ${kind === 'team' ? 'supervisor' : 'manager'}` : undefined
            }
            onChoose={setLeader}
          />
        ) : null}
        {kind === 'claim' ? (
          <>
            <Select label="Claim" data={claims} value={chosenClaim ?? null} allowDeselect={false} onChange={setClaim} />
            <TextInput
              label="Value"
              description="Everybody whose latest sign-in had this value becomes a member. Upper and lower case must match."
              maxLength={limits.claimValueMaxLength}
              value={value}
              error={isIncomplete && value.trim() === '' ? 'Enter a value' : undefined}
              onChange={event => setValue(event.currentTarget.value)}
            />
          </>
        ) : null}
        <AssignersField assigners={assigners} onChoose={setAssigners} />
        <FormEnd label="Create group" refusal={refusal?.message} isSending={isSending} onCancel={onCancel} />
      </Stack>
    </form>
  )
}

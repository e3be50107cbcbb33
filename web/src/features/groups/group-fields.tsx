import { Button, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { type ChosenPerson, PeopleSelect } from '../../ui/people/people-select.tsx'
import styles from './groups.module.css'

interface NameFieldProps {
  name: string
  isIncomplete: boolean
  onName: (name: string) => void
}

export function NameField({ name, isIncomplete, onName }: NameFieldProps) {
  return (
    <TextInput
      label="Name"
      autoComplete="off"
      maxLength={limits.groupNameMaxLength}
      data-autofocus
      value={name}
      error={isIncomplete && name.trim() === '' ? 'Enter a name' : undefined}
      onChange={event => onName(event.currentTarget.value)}
    />
  )
}

interface AssignersFieldProps {
  assigners: readonly ChosenPerson[]
  onChoose: (people: ChosenPerson[]) => void
}

export function AssignersField({ assigners, onChoose }: AssignersFieldProps) {
  return (
    <PeopleSelect
      label="Supervisors who may assign to this group"
      description="Directors and administrators always may."
      roleOnly="supervisor"
      max={limits.groupAssignersMax}
      chosen={assigners}
      onChoose={onChoose}
    />
  )
}

interface FormEndProps {
  label: string
  refusal: string | undefined
  isSending: boolean
  onCancel: () => void
}

export function FormEnd({ label, refusal, isSending, onCancel }: FormEndProps) {
  return (
    <div className={styles.stack}>
      <p role="alert" className={styles.problem}>
        {refusal}
      </p>
      <div className={styles.actions}>
        <Button type="submit" loading={isSending}>
          {label}
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  )
}

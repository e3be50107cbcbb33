import { Button, Group, Stack } from '@mantine/core'
import { DeleteButton } from './delete-button.tsx'
import { LocalDate } from './local-date.tsx'
import styles from './manage-person.module.css'
import { PersonHeading } from './person-heading.tsx'
import { PersonalData } from './personal-data.tsx'
import { type StatusChange, useStatusChange } from './use-status-change.ts'

/** A deactivated person in the side panel. Their role and team change only after reactivation. */
export function DeactivatedPerson({ person, onChanged, onGone }: StatusChange & { onGone: () => void }) {
  const { change, isChanging } = useStatusChange({ person, onChanged })
  return (
    <Stack>
      <PersonHeading person={person} />
      <p className={styles.effects}>
        Deactivated on <LocalDate time={person.deactivated_at!} />. They cannot sign in. What they watched and wrote is
        kept. After a reactivation they have their role and no team.
      </p>
      <Group>
        <Button onClick={() => change('active')} loading={isChanging}>
          Reactivate
        </Button>
        <DeleteButton person={person} onDeleted={onGone} />
      </Group>
      <PersonalData person={person} onErased={onGone} />
    </Stack>
  )
}

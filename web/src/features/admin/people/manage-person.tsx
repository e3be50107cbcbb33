import { Button, Group, NativeSelect, Stack } from '@mantine/core'
import type { AssignableRole, User } from '@watchline/contracts/people'
import { useRef } from 'react'
import { DrawerBelowDialogs } from '../../../ui/controls/stacked-dialog.tsx'
import { useKeptFocus } from '../../../ui/controls/use-kept-focus.ts'
import { RelativeTime } from '../../../ui/dates/relative-time.tsx'
import { openChat } from '../../../ui/frame/frame-commands.ts'
import { RoleBadge } from '../../../ui/people/role-badge.tsx'
import { DeactivateButton } from './deactivate-button.tsx'
import { DeactivatedPerson } from './deactivated-person.tsx'
import { DeleteButton } from './delete-button.tsx'
import { EndSessionsButton } from './end-sessions-button.tsx'
import { LocalDate } from './local-date.tsx'
import styles from './manage-person.module.css'
import { ManagerPicker } from './manager-picker.tsx'
import { effectsOf, managerWarning } from './person-effects.ts'
import { PersonHeading } from './person-heading.tsx'
import { PersonalData } from './personal-data.tsx'
import { SupervisorPicker } from './supervisor-picker.tsx'
import { usePersonChanges } from './use-person-changes.ts'

const roleChoices: { value: AssignableRole; label: string }[] = [
  { value: 'user', label: 'User' },
  { value: 'supervisor', label: 'Supervisor' },
  { value: 'manager', label: 'Manager' },
  { value: 'director', label: 'Director' },
]

interface ManagePersonProps {
  person: User | undefined
  opened: boolean
  onClose: () => void
  /**
   * Called after the closing animation. The row with the button that opened the panel may be gone.
   */
  onClosed: () => void
  /** Gets the person after a change. */
  onChanged: (person: User) => void
}

/** The side panel that sets a person's role and leader. Nothing changes before Save. */
export function ManagePerson({ person, opened, onClose, onClosed, onChanged }: ManagePersonProps) {
  const content = useRef<HTMLDivElement>(null)
  useKeptFocus(content)
  return (
    <DrawerBelowDialogs
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      title="Manage person"
      size="md"
    >
      <div ref={content} tabIndex={-1}>
        {person?.deactivated_at ? <DeactivatedPerson person={person} onChanged={onChanged} onGone={onClose} /> : null}
        {person && !person.deactivated_at ? (
          <PersonForm key={person.id} person={person} onChanged={onChanged} onClose={onClose} />
        ) : null}
      </div>
    </DrawerBelowDialogs>
  )
}

function PersonForm({
  person,
  onChanged,
  onClose,
}: Pick<ManagePersonProps, 'onChanged' | 'onClose'> & { person: User }) {
  const changes = usePersonChanges(person, onChanged)
  const { role, leader, isSaving } = changes
  const field = useRef<HTMLSelectElement>(null)
  const effects = effectsOf(person, { role, leaderId: leader?.id ?? null })

  function message() {
    const { id, name, email, picture } = person
    onClose()
    openChat.send({ other: { id, name, email, picture, role: person.role }, chat_type: 'admin' })
  }

  async function save() {
    // The button is disabled after saving, so the focus moves to the field.
    if (await changes.save()) field.current?.focus()
  }

  return (
    <Stack>
      <PersonHeading person={person} />
      <Group gap="xs">
        <RoleBadge role={person.role} />
        <PersonDates person={person} />
        {person.invited ? null : (
          <Button variant="default" size="xs" ml="auto" onClick={message}>
            Message
          </Button>
        )}
      </Group>
      <NativeSelect
        ref={field}
        label="Role"
        data={roleChoices}
        value={role}
        onChange={event => changes.pickRole(event.currentTarget.value as AssignableRole)}
        description={person.role === 'manager' && role === 'manager' ? managerWarning : undefined}
      />
      {role === 'user' ? (
        <SupervisorPicker
          picked={leader}
          countNewMembers={id => (person.role === 'user' && person.supervisor_id === id ? 0 : 1)}
          exceptId={person.id}
          isSaving={isSaving}
          onPick={changes.pickLeader}
        />
      ) : null}
      {role === 'supervisor' ? <ManagerPicker picked={leader} isSaving={isSaving} onPick={changes.pickLeader} /> : null}
      <div role="status" className={styles.effects}>
        {effects.map(effect => (
          <p key={effect}>{effect}</p>
        ))}
      </div>
      <Button onClick={save} disabled={!changes.isChanged} loading={isSaving}>
        Save
      </Button>
      <section className={styles.actions} aria-labelledby="person-account">
        <h3 id="person-account">Account</h3>
        <Group gap="xs">
          {person.invited ? null : <EndSessionsButton person={person} />}
          <DeactivateButton person={person} onChanged={onChanged} />
          <DeleteButton person={person} onDeleted={onClose} />
        </Group>
      </section>
      <PersonalData person={person} onErased={onClose} />
    </Stack>
  )
}

function PersonDates({ person: { invited, created_at, last_seen } }: { person: User }) {
  if (invited) return <span className={styles.email}>Invited; has not signed in yet</span>
  return (
    <span className={styles.email}>
      Joined <LocalDate time={created_at} />
      {last_seen === undefined ? null : (
        <>
          {' · '}
          {last_seen ? (
            <>
              Last seen <RelativeTime time={last_seen} inline />
            </>
          ) : (
            'Not seen in the last 30 days'
          )}
        </>
      )}
    </span>
  )
}

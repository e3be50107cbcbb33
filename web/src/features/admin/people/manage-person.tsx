import { Button, Drawer, Group, NativeSelect, Stack } from '@mantine/core'
import type { AssignableRole, User } from '@watchline/contracts/people'
import { useRef, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { useAlerts } from '../../../ui/alerts.tsx'
import { Avatar } from '../../../ui/avatar.tsx'
import { formatCount } from '../../../ui/format.ts'
import { openChat } from '../../../ui/frame-commands.ts'
import { RoleBadge } from '../../../ui/role-badge.tsx'
import { useChangeRoleMutation } from '../admin-api.ts'
import { LocalDate } from './local-date.tsx'
import styles from './manage-person.module.css'
import { ManagerPicker } from './manager-picker.tsx'
import { NewUserSupervisorPicker, SupervisorPicker } from './supervisor-picker.tsx'

const roleChoices: { value: AssignableRole; label: string }[] = [
  { value: 'user', label: 'User' },
  { value: 'supervisor', label: 'Supervisor' },
  { value: 'manager', label: 'Manager' },
  { value: 'director', label: 'Director' },
]

const managerWarning = 'Changing from Manager role will remove supervisor assignments'

/** The consequences of a new role, shown before the change. */
function effectsOf(person: User): string[] {
  const { role, supervisor_id, supervisor_name, manager_id, manager_name, user_count, supervisor_count } = person
  const effects: string[] = []
  if (role === 'user' && supervisor_id)
    effects.push(supervisor_name ? `They will leave ${supervisor_name}’s team.` : 'They will leave their team.')
  if (role === 'supervisor' && user_count !== 0) {
    const users = user_count === undefined ? 'its users' : formatCount(user_count, 'user')
    effects.push(`Their team is freed: ${users} will have no supervisor.`)
  }
  if (role === 'supervisor' && manager_id)
    effects.push(`They will leave their manager${manager_name ? `, ${manager_name}` : ''}.`)
  if (role === 'manager') effects.push(managerWarning)
  if (role === 'manager' && supervisor_count)
    effects.push(`${formatCount(supervisor_count, 'supervisor')} will have no manager.`)
  return effects
}

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

/** The side panel that sets a person's role, and their supervisor or manager. */
export function ManagePerson({ person, opened, onClose, onClosed, onChanged }: ManagePersonProps) {
  return (
    <Drawer opened={opened} onClose={onClose} onExitTransitionEnd={onClosed} title="Manage person" size="md">
      {person ? <PersonForm key={person.id} person={person} onChanged={onChanged} onClose={onClose} /> : null}
    </Drawer>
  )
}

function PersonForm({
  person,
  onChanged,
  onClose,
}: Pick<ManagePersonProps, 'onChanged' | 'onClose'> & { person: User }) {
  const alerts = useAlerts()
  // The picked role until it is saved. Without one the form follows the person's role.
  const [pickedRole, setPickedRole] = useState<AssignableRole>()
  const role = pickedRole ?? person.role
  // The picked supervisor of a person who is about to become a user.
  const [pickedSupervisor, setPickedSupervisor] = useState<User>()
  const [changeRole, { isLoading }] = useChangeRoleMutation()
  const field = useRef<HTMLSelectElement>(null)
  const effects = role === person.role ? [] : effectsOf(person)

  function message() {
    const { id, name, email, picture } = person
    onClose()
    openChat.send({ other: { id, name, email, picture, role: person.role }, chat_type: 'admin' })
  }

  async function updateRole() {
    const supervisor = role === 'user' ? pickedSupervisor : undefined
    // One call saves both, so that a refused supervisor leaves the role as it was.
    const body = { role: role as AssignableRole, supervisor_id: supervisor?.id }
    const result = await changeRole({ params: { id: person.id }, body })
    if (result.error) return alerts.fail('Failed to update user role', asFailure(result.error))
    alerts.succeed(`${person.name} is now a ${role}${supervisor ? ` in the team of ${supervisor.name}` : ''}`)
    onChanged({ ...result.data.user, ...(supervisor && { supervisor_name: supervisor.name }) })
    setPickedRole(undefined)
    setPickedSupervisor(undefined)
    // The button is now disabled, so the focus moves to the field.
    field.current?.focus()
  }

  return (
    <Stack>
      <Group wrap="nowrap">
        <Avatar id={person.id} name={person.name} picture={person.picture} size={48} />
        <div className={styles.words}>
          <strong>{person.name}</strong>
          <span className={styles.email}>{person.email}</span>
        </div>
      </Group>
      <Group gap="xs">
        <RoleBadge role={person.role} />
        <span className={styles.email}>
          {person.invited ? 'Invited; has not signed in yet' : 'Joined '}
          {person.invited ? null : <LocalDate time={person.created_at} />}
        </span>
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
        onChange={event => setPickedRole(event.currentTarget.value as AssignableRole)}
        description={person.role === 'manager' && effects.length === 0 ? managerWarning : undefined}
      />
      <div role="status" className={styles.effects}>
        {effects.map(effect => (
          <p key={effect}>{effect}</p>
        ))}
      </div>
      {role === 'user' && person.role !== 'user' ? (
        <NewUserSupervisorPicker
          person={person}
          picked={pickedSupervisor}
          isSaving={isLoading}
          onPick={setPickedSupervisor}
        />
      ) : null}
      <Button onClick={updateRole} disabled={isLoading || role === person.role}>
        {isLoading ? 'Updating…' : 'Update Role'}
      </Button>
      {person.role === 'user' && role === 'user' ? <SupervisorPicker person={person} onChanged={onChanged} /> : null}
      {role === 'supervisor' ? <ManagerPicker person={person} onChanged={onChanged} /> : null}
    </Stack>
  )
}

import { Button, Drawer, Group, NativeSelect, Stack } from '@mantine/core'
import type { AssignableRole, User } from '@watchline/contracts/people'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { useAlerts } from '../../ui/alerts.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { RoleBadge } from '../../ui/role-badge.tsx'
import { useChangeRoleMutation } from './admin-api.ts'
import styles from './manage-person.module.css'
import { SupervisorPicker } from './supervisor-picker.tsx'

const roleChoices: { value: AssignableRole; label: string }[] = [
  { value: 'user', label: 'User' },
  { value: 'supervisor', label: 'Supervisor' },
  { value: 'manager', label: 'Manager' },
  { value: 'director', label: 'Director' },
]

/** What else happens with the change, said before it is made. */
function effectOf(from: User['role'], to: AssignableRole): string | undefined {
  if (from === to) return undefined
  if (from === 'user') return 'They leave their supervisor’s team.'
  if (from === 'supervisor') return 'Their team is left without a supervisor, and they leave their manager.'
  if (from === 'manager') return 'Their supervisors are left without a manager.'
  return undefined
}

interface ManagePersonProps {
  /** undefined: closed. */
  person: User | undefined
  onClose: () => void
}

/** The side panel in which a person gets their role and supervisor. */
export function ManagePerson({ person, onClose }: ManagePersonProps) {
  return (
    <Drawer opened={person !== undefined} onClose={onClose} title="Manage person" size="md">
      {person ? <PersonForm key={person.id} person={person} /> : null}
    </Drawer>
  )
}

function PersonForm({ person }: { person: User }) {
  const alerts = useAlerts()
  const [role, setRole] = useState(person.role)
  const [changeRole, { isLoading }] = useChangeRoleMutation()
  const effect = effectOf(person.role, role as AssignableRole)

  async function updateRole() {
    const result = await changeRole({ params: { id: person.id }, body: { role: role as AssignableRole } })
    if (result.error) alerts.fail('Failed to update user role', asFailure(result.error))
    else alerts.succeed(`${person.name} is now ${role}`)
  }

  return (
    <Stack>
      <Group wrap="nowrap">
        <Avatar name={person.name} picture={person.picture} size={48} />
        <div className={styles.words}>
          <strong>{person.name}</strong>
          <span className={styles.email}>{person.email}</span>
        </div>
      </Group>
      <div>
        <RoleBadge role={person.role} />
      </div>
      <NativeSelect
        label="Role"
        data={roleChoices}
        value={role}
        onChange={event => setRole(event.currentTarget.value as AssignableRole)}
        description={effect}
      />
      <Button onClick={updateRole} disabled={isLoading || role === person.role}>
        {isLoading ? 'Updating…' : 'Update Role'}
      </Button>
      {role === 'user' ? <SupervisorPicker person={person} /> : null}
    </Stack>
  )
}

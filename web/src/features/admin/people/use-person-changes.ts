import type { AssignableRole, Role, User } from '@watchline/contracts/people'
import { useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useChangeManagerMutation, useChangeRoleMutation, useChangeSupervisorMutation } from '../admin-api.ts'

/** A leader to choose; null for none. */
export type PickedLeader = { id: string; name: string } | null

/** The fields of the form that differ from the saved person. */
interface Picks {
  role?: AssignableRole
  leader?: PickedLeader
}

/**
 * The role and leader of a person in the form, until one call saves them. A user's leader is a
 * supervisor, a supervisor's leader a manager; others have none.
 */
export function usePersonChanges(person: User, onSaved: (person: User) => void) {
  const alerts = useAlerts()
  const [picks, setPicks] = useState<Picks>({})
  const [changeRole, roleCall] = useChangeRoleMutation()
  const [changeSupervisor, supervisorCall] = useChangeSupervisorMutation()
  const [changeManager, managerCall] = useChangeManagerMutation()

  const role = picks.role ?? person.role
  const isNewRole = role !== person.role
  const savedLeader = isNewRole ? null : leaderOf(person)
  const leader = picks.leader === undefined ? savedLeader : picks.leader
  const isNewLeader = leader?.id !== savedLeader?.id

  function callServer() {
    const params = { id: person.id }
    if (isNewRole) {
      // One call saves both, so that a refused leader leaves the role as it was.
      const leaders = {
        supervisor_id: role === 'user' ? leader?.id : undefined,
        manager_id: role === 'supervisor' ? leader?.id : undefined,
      }
      return changeRole({ params, body: { role: role as AssignableRole, ...leaders } })
    }
    const leaderId = leader?.id ?? ''
    return role === 'user'
      ? changeSupervisor({ params, query: { supervisor_id: leaderId } })
      : changeManager({ params, query: { manager_id: leaderId } })
  }

  /** True if it is saved. */
  async function save(): Promise<boolean> {
    const result = await callServer()
    if (result.error) {
      alerts.fail(
        isNewRole ? 'Failed to update user role' : `Failed to assign ${leaderNoun(role)}`,
        asFailure(result.error),
      )
      return false
    }
    alerts.succeed(describeSaved(person.name, role, isNewRole, leader))
    const leaderName = leader?.name ?? null
    onSaved({
      ...result.data.user,
      ...(role === 'user' && { supervisor_name: leaderName }),
      ...(role === 'supervisor' && { manager_name: leaderName }),
    })
    setPicks({})
    return true
  }

  return {
    role,
    leader,
    isChanged: isNewRole || isNewLeader,
    isSaving: roleCall.isLoading || supervisorCall.isLoading || managerCall.isLoading,
    /** Another role has other leaders. */
    pickRole: (newRole: AssignableRole) => setPicks({ role: newRole }),
    pickLeader: (newLeader: PickedLeader) => setPicks({ ...picks, leader: newLeader }),
    save,
  }
}

function leaderOf({ role, supervisor_id, supervisor_name, manager_id, manager_name }: User): PickedLeader {
  if (role === 'user' && supervisor_id) return { id: supervisor_id, name: supervisor_name ?? 'Unknown' }
  if (role === 'supervisor' && manager_id) return { id: manager_id, name: manager_name ?? 'Unknown' }
  return null
}

const leaderNoun = (role: Role) => (role === 'user' ? 'supervisor' : 'manager')

function describeSaved(name: string, role: Role, isNewRole: boolean, leader: PickedLeader): string {
  const teamText = leader && (role === 'user' ? `in the team of ${leader.name}` : `under manager ${leader.name}`)
  if (isNewRole) return `${name} is now a ${role}${teamText ? ` ${teamText}` : ''}`
  return teamText ? `${name} is ${teamText}` : `${name} has no ${leaderNoun(role)} now`
}

import type { AssignableRole, Role, User } from '@watchline/contracts/people'
import { useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useChangeManagerMutation, useChangeRoleMutation, useChangeSupervisorMutation } from '../admin-api.ts'
import { isUndoable } from './person-effects.ts'

/** A leader to choose; null for none. */
export type PickedLeader = { id: string; name: string } | null

/** The fields of the form that differ from the saved person. */
interface Picks {
  role?: AssignableRole
  leader?: PickedLeader
}

interface RoleAndLeader {
  role: Role
  leader: PickedLeader
}

/** The last saved change, with the values from before it. */
interface SavedChange {
  before: RoleAndLeader
  after: RoleAndLeader
}

/**
 * The role and leader of a person in the form, until one call saves them. A user's leader is a
 * supervisor, a supervisor's leader a manager; others have none. After it the same call can set the
 * old values again.
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

  const [savedChange, setSavedChange] = useState<SavedChange>()
  const saved: RoleAndLeader = { role: person.role, leader: leaderOf(person) }

  function callServer(values: RoleAndLeader) {
    const params = { id: person.id }
    const leaderId = values.leader?.id
    if (values.role !== person.role) {
      // One call saves both, so that a refused leader leaves the role as it was.
      const leaders = {
        supervisor_id: values.role === 'user' ? leaderId : undefined,
        manager_id: values.role === 'supervisor' ? leaderId : undefined,
      }
      return changeRole({ params, body: { role: values.role as AssignableRole, ...leaders } })
    }
    return values.role === 'user'
      ? changeSupervisor({ params, query: { supervisor_id: leaderId ?? '' } })
      : changeManager({ params, query: { manager_id: leaderId ?? '' } })
  }

  /** True if the person has the values now. */
  async function apply(values: RoleAndLeader, failureMessage: string): Promise<boolean> {
    const { data, error } = await callServer(values)
    if (error) {
      alerts.fail(failureMessage, asFailure(error))
      return false
    }
    alerts.succeed(describeSaved(person.name, values, values.role !== person.role))
    const leaderName = values.leader?.name ?? null
    onSaved({
      ...data.user,
      ...(values.role === 'user' && { supervisor_name: leaderName }),
      ...(values.role === 'supervisor' && { manager_name: leaderName }),
    })
    setPicks({})
    return true
  }

  /** True if it is saved. */
  async function save(): Promise<boolean> {
    const isSaved = await apply(
      { role, leader },
      isNewRole ? 'Failed to update user role' : `Failed to assign ${leaderNoun(role)}`,
    )
    if (isSaved) setSavedChange({ before: saved, after: { role, leader } })
    return isSaved
  }

  /** True if the person has the values from before the last save again. */
  async function undo(): Promise<boolean> {
    if (!savedChange) return false
    const isUndone = await apply(savedChange.before, 'Couldn’t undo the change')
    if (isUndone) setSavedChange(undefined)
    return isUndone
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
    /** Not after another change: its author decided otherwise. */
    canUndo:
      savedChange !== undefined && isSame(saved, savedChange.after) && isUndoable(savedChange.before.role, person),
    undo,
  }
}

function leaderOf({ role, supervisor_id, supervisor_name, manager_id, manager_name }: User): PickedLeader {
  if (role === 'user' && supervisor_id) return { id: supervisor_id, name: supervisor_name ?? 'Unknown' }
  if (role === 'supervisor' && manager_id) return { id: manager_id, name: manager_name ?? 'Unknown' }
  return null
}

const leaderNoun = (role: Role) => (role === 'user' ? 'supervisor' : 'manager')

const isSame = (one: RoleAndLeader, other: RoleAndLeader) =>
  one.role === other.role && one.leader?.id === other.leader?.id

function describeSaved(name: string, { role, leader }: RoleAndLeader, isNewRole: boolean): string {
  const place = leader && (role === 'user' ? `in the team of ${leader.name}` : `under manager ${leader.name}`)
  if (isNewRole) return `${name} is now a ${role}${place ? ` ${place}` : ''}`
  return place ? `${name} is ${place}` : `${name} has no ${leaderNoun(role)} now`
}

import { type Role, seesEverything } from '@watchline/contracts/people'

interface OrgMember {
  id: string
  role: Role
  supervisorId: string | null
  managerId: string | null
  deactivatedAt?: string
  erasedAt?: string
}

interface OwnedPlaylist {
  createdBy: string
  sharedWith: readonly string[]
}

/**
 * Staff assign and watch the playlists they may edit and those shared with them. Users never do.
 */
export function mayAssign(person: Pick<OrgMember, 'id' | 'role' | 'managerId'>, playlist: OwnedPlaylist): boolean {
  return mayEdit(person, playlist) || isSharedWith(person, playlist)
}

/** The owner, directors and the administrator may change, share and delete a playlist. */
export function mayEdit(person: Pick<OrgMember, 'id' | 'role'>, playlist: Pick<OwnedPlaylist, 'createdBy'>): boolean {
  return seesEverything(person) || (person.role !== 'user' && playlist.createdBy === person.id)
}

/** Sharing counts only while the owner is the supervisor's manager. */
export function isSharedWith(person: Pick<OrgMember, 'id' | 'role' | 'managerId'>, playlist: OwnedPlaylist): boolean {
  return (
    person.role === 'supervisor' && playlist.createdBy === person.managerId && playlist.sharedWith.includes(person.id)
  )
}

/** A supervisor assigns to the users of their own team. Nobody assigns to a deactivated person. */
export function mayAssignTo(caller: Pick<OrgMember, 'id' | 'role'>, person: Omit<OrgMember, 'managerId'>): boolean {
  if (person.deactivatedAt) return false
  if (seesEverything(caller)) return true
  return caller.role === 'supervisor' && person.role === 'user' && person.supervisorId === caller.id
}

/**
 * People who may assign to a person may change and withdraw the tasks that the person has. Those of
 * a deactivated person, who is in no team, may also be changed by the supervisor whom they had.
 * Those of an erased person stay as they are.
 */
export function mayChangeTasksOf(
  caller: Pick<OrgMember, 'id' | 'role'>,
  person: Omit<OrgMember, 'managerId'>,
  formerSupervisorId: string | null | undefined,
): boolean {
  if (!person.deactivatedAt) return mayAssignTo(caller, person)
  if (person.erasedAt) return false
  const { deactivatedAt: _, ...asActive } = person
  return mayAssignTo(caller, { ...asActive, supervisorId: person.supervisorId ?? formerSupervisorId ?? null })
}

/**
 * Only people who may assign the playlist change what a group has of it. A person who assigned it
 * may still change that after unsharing.
 */
export function mayChangeGroupAssignment(
  caller: Pick<OrgMember, 'id' | 'role' | 'managerId'>,
  playlist: OwnedPlaylist,
  assignment: { assignedBy: string } | undefined,
): boolean {
  return mayAssign(caller, playlist) || assignment?.assignedBy === caller.id
}

/** A supervisor assigns to the groups that name them, members outside their team included. */
export function mayAssignToGroup(
  caller: Pick<OrgMember, 'id' | 'role'>,
  { assigners }: { assigners: readonly string[] },
): boolean {
  return seesEverything(caller) || (caller.role === 'supervisor' && assigners.includes(caller.id))
}

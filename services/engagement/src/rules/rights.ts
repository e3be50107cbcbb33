import { type Role, seesEverything } from '@watchline/contracts/people'

interface StaffMember {
  id: string
  role: Role
  managerId: string | null
}

interface OwnedPlaylist {
  createdBy: string
  sharedWith: readonly string[]
}

/**
 * Whether a member of staff may use the playlist as their own. A user may only watch what is
 * assigned to them. Sharing ends when the supervisor leaves the manager who shared.
 */
export function mayUseAsOwn(person: StaffMember, playlist: OwnedPlaylist): boolean {
  if (seesEverything(person)) return true
  if (person.role === 'user') return false
  if (playlist.createdBy === person.id) return true
  const isFromOwnManager = person.role === 'supervisor' && playlist.createdBy === person.managerId
  return isFromOwnManager && playlist.sharedWith.includes(person.id)
}

/**
 * Whether the owner of a saved report may send it to this person: themselves, or staff they see.
 */
export function mayReceiveReports(owner: StaffMember, recipient: StaffMember): boolean {
  if (recipient.role === 'user') return false
  if (recipient.id === owner.id || seesEverything(owner)) return true
  return owner.role === 'manager' && recipient.role === 'supervisor' && recipient.managerId === owner.id
}

/** A part of the organisation, as queries name it. */
interface NamedScope {
  supervisor_id?: string | undefined
  manager_id?: string | undefined
}

/** Whether the person may make a report of this part: only who sees everything names a part. */
export function mayReportOn(person: Pick<StaffMember, 'role'>, { supervisor_id, manager_id }: NamedScope): boolean {
  if (person.role === 'user') return false
  return seesEverything(person) || (supervisor_id === undefined && manager_id === undefined)
}

/**
 * The scope of another person's report as this person asks for it: a supervisor's own team and a
 * manager's own teams have no name.
 */
export function toOwnWords(person: Pick<StaffMember, 'id' | 'role'>, scope: NamedScope): NamedScope {
  const { supervisor_id, manager_id } = scope
  if (person.role === 'supervisor' && supervisor_id === person.id) return {}
  if (person.role === 'manager' && manager_id === person.id && supervisor_id === undefined) return {}
  return { supervisor_id, manager_id }
}

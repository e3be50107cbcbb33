import type { ChatType } from '@watchline/contracts/chat'
import type { Role } from '@watchline/contracts/people'

/** What adjacency asks of a person. */
export interface Party {
  id: string
  role: Role
  supervisorId: string | null
  managerId: string | null
}

/**
 * Why two people may write to each other; undefined when they may not. The same whoever asks. With an administrator it says that the
 * administrator may write: the other one answers, see {@link mayWrite}.
 */
export function relationOf(one: Party, other: Party): ChatType | undefined {
  if (one.id === other.id) return undefined
  if (one.role === 'admin' || other.role === 'admin') return 'admin'
  return downward(one, other) ?? downward(other, one)
}

function downward(above: Party, below: Party): ChatType | undefined {
  if (above.role === 'supervisor' && below.role === 'user' && below.supervisorId === above.id) return 'user_supervisor'
  if (above.role === 'manager' && below.role === 'supervisor' && below.managerId === above.id)
    return 'supervisor_manager'
  if (above.role === 'director' && below.role === 'manager') return 'manager_director'
  return undefined
}

/** Whether somebody may write to another, who has written so many messages to them so far. */
export function mayWrite(from: Party, to: Party, receivedFromThem: number): boolean {
  const relation = relationOf(from, to)
  if (relation !== 'admin') return relation !== undefined
  return from.role === 'admin' || receivedFromThem > 0
}

import type { ChatType } from '@watchline/contracts/chat'
import type { Role } from '@watchline/contracts/people'

export interface ChatParty {
  id: string
  role: Role
  supervisorId: string | null
  managerId: string | null
  deactivatedAt?: string
}

/**
 * The relation by which two people may write to each other; undefined when they may not. The order
 * of the two does not matter. `admin` is one-sided, see {@link mayWrite}.
 */
export function relationOf(first: ChatParty, second: ChatParty): ChatType | undefined {
  if (first.id === second.id) return undefined
  if (first.role === 'admin' || second.role === 'admin') return 'admin'
  return relationDownward(first, second) ?? relationDownward(second, first)
}

function relationDownward(superior: ChatParty, report: ChatParty): ChatType | undefined {
  if (superior.role === 'supervisor' && report.role === 'user' && report.supervisorId === superior.id)
    return 'user_supervisor'
  if (superior.role === 'manager' && report.role === 'supervisor' && report.managerId === superior.id)
    return 'supervisor_manager'
  if (superior.role === 'director' && report.role === 'manager') return 'manager_director'
  return undefined
}

/**
 * Whether the sender may write to the recipient. Nobody writes to a deactivated person, who cannot
 * read it. An administrator may write to anyone else. The
 * recipient may only reply: `receivedCount` must be at least 1.
 */
export function mayWrite(sender: ChatParty, recipient: ChatParty, receivedCount: number): boolean {
  if (recipient.deactivatedAt) return false
  const relation = relationOf(sender, recipient)
  if (relation !== 'admin') return relation !== undefined
  return sender.role === 'admin' || receivedCount > 0
}

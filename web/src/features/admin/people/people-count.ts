import { type AssignableRole, assignableRole } from '@watchline/contracts/people'
import { formatCount } from '../../../ui/dates/format.ts'

const listFormat = new Intl.ListFormat('en', { type: 'conjunction' })

/**
 * The total, and the count of each role that occurs: `9,800 users, 180 supervisors, and 20
 * managers`.
 */
export function countPeople(counts: Partial<Record<AssignableRole, number>>): { total: number; list: string } {
  const presentRoles = assignableRole.options.flatMap(role => {
    const count = counts[role] ?? 0
    return count > 0 ? [{ role, count }] : []
  })
  return {
    total: presentRoles.reduce((sum, { count }) => sum + count, 0),
    list: listFormat.format(presentRoles.map(({ role, count }) => formatCount(count, role))),
  }
}

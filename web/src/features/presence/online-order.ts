import type { OnlineUser } from '@watchline/contracts/presence'
import { z } from 'zod'
import { compareNames } from '../../ui/lists/compare-names.ts'

export const onlineOrder = z.enum(['activity', 'activityOldest', 'name', 'nameReversed', 'longest', 'shortest'])
export type OnlineOrder = z.infer<typeof onlineOrder>

type Compare = (a: OnlineUser, b: OnlineUser) => number

const byName: Compare = (a, b) => compareNames(a.name, b.name) || a.user_id.localeCompare(b.user_id)
const byLongest: Compare = (a, b) => a.login_time.localeCompare(b.login_time) || byName(a, b)

const comparisons: Record<Exclude<OnlineOrder, 'activity' | 'activityOldest'>, Compare> = {
  name: byName,
  nameReversed: (a, b) => byName(b, a),
  longest: byLongest,
  shortest: (a, b) => byLongest(b, a),
}

/** `users` come from the server with the latest activity first. */
export function sortOnline(users: readonly OnlineUser[], order: OnlineOrder): readonly OnlineUser[] {
  if (order === 'activity') return users
  return order === 'activityOldest' ? users.toReversed() : users.toSorted(comparisons[order])
}

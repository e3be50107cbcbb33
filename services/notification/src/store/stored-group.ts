import type { ActivityGroup } from '../rules/activity.ts'

/** An activity group as MongoDB stores it: `happenings` is the number of activities. */
export type StoredGroup = Omit<ActivityGroup, 'activityCount'> & { happenings: number }

export function toStoredGroup({ activityCount, ...group }: ActivityGroup): StoredGroup {
  return { ...group, happenings: activityCount }
}

export function fromStoredGroup({ happenings, ...group }: StoredGroup): ActivityGroup {
  return { ...group, activityCount: happenings }
}

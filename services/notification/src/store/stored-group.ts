import type { ActivityGroup } from '../rules/activity.ts'

/** An activity group as MongoDB stores it: `happenings` is the number of activities. */
export type StoredGroup = Omit<ActivityGroup, 'activityCount'> & { happenings: number }

export function toStoredGroup({ activityCount, ...group }: ActivityGroup): StoredGroup {
  return { ...group, happenings: activityCount }
}

export function fromStoredGroup({ happenings, text, ...group }: StoredGroup): ActivityGroup {
  // Earlier versions stored the text of a reply, which may not be shown any more.
  const shownText = group.kind === 'comment_replied' ? undefined : text
  return { ...group, ...(shownText !== undefined && { text: shownText }), activityCount: happenings }
}

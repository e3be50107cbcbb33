import type { EventData } from '@watchline/contracts/events'
import { type ActivityGroup, maxPeople, mergeGroups } from './activity.ts'

type Cause = EventData<'task.uncompletable'>['reason']

const sentences: Record<Cause, string> = {
  no_playable_video: 'none of its videos can be played',
  no_access: 'the account is deactivated',
}

/** The cause in English for the notification, and its code for mails in other languages. */
export function describeCause(cause: Cause): { text: string; cause: Cause } {
  return { text: sentences[cause], cause }
}

/** Merges two groups about one task and cause, which stay. Each person counts once. */
export function mergeUncompletable(first: ActivityGroup, second: ActivityGroup): ActivityGroup {
  const { text, cause } = first
  const merged = mergeGroups(first, second)
  // The group holds no more people than these, so others can only be added up.
  const count = merged.people.length < maxPeople ? merged.people.length : merged.count
  return { ...merged, count, activityCount: count, text, cause }
}

/** The group without some of its people. */
export function removePeople(group: ActivityGroup, isRemoved: (personId: string) => boolean): ActivityGroup {
  const people = group.people.filter(({ id }) => !isRemoved(id))
  const count = group.count - (group.people.length - people.length)
  return { ...group, people, count, activityCount: count }
}

/**
 * The reason why a person has a task: by hand, by groups, or both. Without an origin they do not
 * have it.
 */
export interface TaskOrigin {
  /** A person assigned it, and it stays until a person unassigns it. */
  byHand: boolean
  /** The groups by which the person has it, in the order in which they gave it. */
  groupIds: readonly string[]
  /**
   * A person set the terms, or they remained of the last group. Otherwise they are those of the
   * first group.
   */
  ownTerms: boolean
  /**
   * Identifies the due date of the first group from which the task's due date comes, if that may
   * differ: occurrences move it. Undefined otherwise.
   */
  groupDue?: string | undefined
}

/**
 * The origin after a group was compared with the person: `hasByGroup` means that the group has the
 * playlist and the person is a member. Undefined: the person does not have the task. A repeated
 * comparison changes nothing.
 */
export function compareWithGroup(
  origin: TaskOrigin | undefined,
  groupId: string,
  hasByGroup: boolean,
): TaskOrigin | undefined {
  if (!origin) return hasByGroup ? { byHand: false, groupIds: [groupId], ownTerms: false } : undefined
  if (origin.groupIds.includes(groupId) === hasByGroup) return origin
  const groupIds = hasByGroup ? [...origin.groupIds, groupId] : origin.groupIds.filter(id => id !== groupId)
  if (!origin.byHand && groupIds.length === 0) return undefined
  // Without a group the terms are the task's own, and a group that comes later does not change
  // them. Earlier versions stored such a task as one with the terms of a group.
  const hasNoGroup = origin.groupIds.length === 0 || groupIds.length === 0
  return hasNoGroup ? { ...origin, groupIds, ownTerms: true, groupDue: undefined } : { ...origin, groupIds }
}

/** The origin after a person assigned the task. The terms of a task that is there stay. */
export function assignByHand(origin: TaskOrigin | undefined): TaskOrigin {
  return origin ? { ...origin, byHand: true } : { byHand: true, groupIds: [], ownTerms: true }
}

/**
 * The origin after a person unassigned the task: a task by a group stays, with the group's terms.
 */
export function unassignByHand(origin: TaskOrigin | undefined): TaskOrigin | undefined {
  if (!origin || origin.groupIds.length === 0) return undefined
  return origin.byHand ? { ...origin, byHand: false, ownTerms: false } : origin
}

/** The group whose terms the task has; undefined if a person set them. */
export function findTermsGroup({ groupIds, ownTerms }: TaskOrigin): string | undefined {
  return ownTerms ? undefined : groupIds[0]
}

/**
 * The reason why a person has a task: by hand, by groups, or both. Without an origin they do not
 * have it.
 */
export interface TaskOrigin {
  /** A person assigned it, and it stays until a person unassigns it. */
  byHand: boolean
  /** The groups by which the person has it, in the order in which they gave it. */
  groupIds: readonly string[]
  /** The terms were set by hand. Otherwise they are those of the first group. */
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
  return origin.byHand || groupIds.length > 0 ? { ...origin, groupIds } : undefined
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

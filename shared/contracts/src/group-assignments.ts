import { z } from 'zod'
import { dueDateInput } from './assignments.ts'
import { conditions, conditionsInput } from './conditions.ts'
import { dueDate, id, page, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'
import { role } from './people.ts'
import { fitsGrace, graceTooLong, recurrence, recurrenceInput } from './recurrence.ts'

/**
 * The terms under which a group has a playlist. Null removes the due date or the recurrence; absent
 * keeps it, and the same holds for each condition. The recurrence ends with the due date.
 */
export const groupTermsInput = z
  .object({
    due: dueDateInput.nullable().optional(),
    recurrence: recurrenceInput.nullable().optional(),
    conditions: conditionsInput.optional(),
  })
  .refine(({ due, recurrence }) => due !== null || !recurrence, { path: ['recurrence'], error: 'needs a due date' })
  .refine(({ due, conditions }) => due !== null || !conditions?.grace_days, {
    path: ['conditions', 'grace_days'],
    error: 'needs a due date',
  })
  .refine(({ recurrence, conditions }) => fitsGrace(recurrence, conditions?.grace_days), {
    path: ['conditions', 'grace_days'],
    error: graceTooLong,
  })
export type GroupTermsInput = z.infer<typeof groupTermsInput>

/** An update of the tasks of a group, in the background. `done` and `total` count members. */
export const groupTaskProgress = z.object({
  kind: z.enum(['assigning', 'withdrawing', 'reminding']),
  done: z.number().int(),
  total: z.number().int(),
})
export type GroupTaskProgress = z.infer<typeof groupTaskProgress>

export const groupAssignment = z.object({
  /**
   * `withdrawn`: the members are losing the task; afterwards the group does not have the playlist.
   */
  status: z.enum(['assigned', 'withdrawn']),
  /** `conditions` are null or absent if they are the default. */
  terms: z.object({
    /** That of the first occurrence, if the task repeats. */
    due: dueDate.nullable(),
    /** The due date of people who join now, if `due` has passed. Absent otherwise. */
    next_due: dueDate.optional(),
    /** Absent if the task does not repeat. */
    recurrence: recurrence.optional(),
    conditions: conditions.nullable().optional(),
    /** Absent without a grace period. */
    grace_until: time.optional(),
  }),
  /** Null if the person is unknown. */
  assigned_by: z.object({ id, name: z.string(), role }).nullable(),
  assigned_at: time,
  /** Null while nothing is under way. */
  progress: groupTaskProgress.nullable(),
})
export type GroupAssignment = z.infer<typeof groupAssignment>

export const assignableGroup = z.object({
  group_id: id,
  name: z.string(),
  /** The number of members, deactivated people included. */
  size: z.number().int(),
  /** Null if the group does not have the playlist. */
  assignment: groupAssignment.nullable(),
})
export type AssignableGroup = z.infer<typeof assignableGroup>

const groupOperation = {
  service: 'playback-session',
  path: '/playlists/{id}/groups/{group_id}',
  callers: ['supervisor', 'director', 'admin'],
  params: z.object({ id, group_id: id }),
  response: z.object({ success: z.literal(true), group: assignableGroup }),
  errors: ['forbidden', 'not_found', 'invalid'],
} as const

export const listGroupAssignments = defineOperation({
  ...groupOperation,
  name: 'listGroupAssignments',
  method: 'GET',
  path: '/playlists/{id}/groups',
  summary:
    'The groups to which the caller may assign, by name, each with its assignment of the playlist, if it has one. The search looks for a part of the name.',
  params: z.object({ id }),
  query: page.extend({ search: z.string().trim().max(limits.nameMaxLength).optional() }),
  response: z.array(assignableGroup),
})

/** Repeated, it changes nothing. With other terms it changes the terms; absent terms stay. */
export const assignToGroup = defineOperation({
  ...groupOperation,
  name: 'assignToGroup',
  method: 'PUT',
  summary:
    'Assigns the playlist to the members of a group, present and future ones, in the background, with a note to them if there is one. Other terms apply from then on to open tasks whose terms came by the group, with a reason if there is one.',
  body: z.object({
    terms: groupTermsInput.optional(),
    /** Kept with each change of a member's task by this call. Empty counts as absent. */
    reason: text(limits.reasonMaxLength).optional(),
    /**
     * Shown to the members who get the task by this group, now or later; those who get a later
     * occurrence of a repeating task do not see it. Empty counts as absent. It is ignored if the
     * group has the playlist already.
     */
    note: text(limits.reasonMaxLength).optional(),
  }),
  bodyOptional: true,
})

export const withdrawFromGroup = defineOperation({
  ...groupOperation,
  name: 'withdrawFromGroup',
  method: 'DELETE',
  summary:
    'Withdraws the playlist from a group, in the background: members lose the task unless they also have it by hand or by another group. Their watch records stay.',
})

export const remindGroup = defineOperation({
  ...groupOperation,
  name: 'remindGroup',
  method: 'POST',
  path: '/playlists/{id}/groups/{group_id}/remind',
  summary:
    'Reminds the members of a group of their open task, each once a day for each task, in the background. Members whose task cannot be completed are left out.',
})

/** The actions on a playlist of a group: `extend` changes the due date. */
export const groupAction = z.enum(['assign', 'extend', 'remind', 'withdraw'])
export type GroupAction = z.infer<typeof groupAction>

/** Reasons for which an action does not affect a member. */
export const groupSkipReason = z.enum([
  'inactive',
  'not_trainee',
  'already_assigned',
  'completed',
  'not_assigned',
  'own_terms',
  'kept',
  'already_reminded',
  'uncompletable',
])
export type GroupSkipReason = z.infer<typeof groupSkipReason>

/**
 * The answer is about at most limits.groupPreviewMembers members after `after`, so that no call
 * grows with the group. The sum of all pages is about the group.
 */
export const previewGroupAction = defineOperation({
  ...groupOperation,
  name: 'previewGroupAction',
  method: 'POST',
  path: '/playlists/{id}/groups/{group_id}/preview',
  summary:
    'Counts whom an action on the tasks of a group would affect now, whom it would not, and why; names those affected. Changes nothing.',
  body: z.object({
    action: groupAction,
    /** `next` of the previous page. */
    after: id.optional(),
  }),
  response: z.object({
    affected: z.number().int(),
    /** The numbers of the other members, by reason. */
    skipped: z.array(z.object({ reason: groupSkipReason, count: z.number().int() })),
    /** Those affected on this page, by name. Earlier versions name only the first 20. */
    people: z.array(z.object({ id, name: z.string() })),
    /** Null on the last page. */
    next: id.nullable(),
  }),
})

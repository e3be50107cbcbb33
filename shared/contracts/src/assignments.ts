import { z } from 'zod'
import { conditions, conditionsInput } from './conditions.ts'
import {
  dueDate,
  id,
  idList,
  idParams,
  localTime,
  overrideAction,
  overrideKind,
  page,
  text,
  time,
  timeZone,
  timeZoneOwner,
} from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'
import { role } from './people.ts'
import { playlist, playlistOrder, playlistSearch } from './playlists.ts'
import { fitsGrace, graceTooLong, recurrence, recurrenceInput } from './recurrence.ts'

const service = 'playback-session'

/**
 * By when a task is to be completed: a date and local time in a time zone, by default the
 * organisation's. A later change of that zone's rules does not move a due date that is set.
 */
export const dueDateInput = z
  .object({
    local: localTime,
    time_zone: timeZone.optional(),
    /**
     * Instead of `time_zone`: each task is due at the local time in the time zone of its person, or
     * in the organisation's if the person has chosen none. A later choice does not move the task.
     */
    time_zone_of: timeZoneOwner.optional(),
  })
  .refine(({ time_zone, time_zone_of }) => time_zone === undefined || time_zone_of === undefined, {
    path: ['time_zone'],
    error: 'cannot be set together with the time zone of each person',
  })
export type DueDateInput = z.infer<typeof dueDateInput>

export const assignmentStatus = z.enum(['assigned', 'in_progress', 'completed'])

/**
 * A superior's decision that closes a task without its videos, with its author, time and reason.
 * `by` is null if the author is unknown.
 */
export const taskOverride = z.object({
  kind: overrideKind,
  by: z.object({ id, name: z.string(), role }).nullable(),
  at: time,
  reason: z.string(),
})
export type TaskOverride = z.infer<typeof taskOverride>

/** The reset by which a task started again. */
const taskReset = taskOverride.omit({ kind: true })
export type TaskReset = z.infer<typeof taskReset>

/** The occurrence after the present one: when it opens, and its due date. */
const nextOccurrence = z.object({ opens_at: time, due: dueDate })

/** Absent in earlier versions. */
const recurrenceOfTask = {
  /** Null if the task does not repeat. */
  recurrence: recurrence.nullable().optional(),
  /**
   * Null without a recurrence, and while the next due date is not known because it counts from the
   * completion. A completed task is valid until the next due date.
   */
  next_occurrence: nextOccurrence.nullable().optional(),
}

/** Null or absent for the default conditions. */
const conditionsOfTask = {
  conditions: conditions.nullable().optional(),
  /** The end of the grace period; the task is overdue from then on. Absent without one. */
  grace_until: time.optional(),
}

export const task = playlist.extend({
  assignment_status: assignmentStatus,
  /** The person who assigned it; null if they are unknown. Absent in earlier versions. */
  assigned_by: z.object({ id, name: z.string(), role }).nullable().optional(),
  /** The first completion; null while the task is open. Absent in earlier versions. */
  completed_at: time.nullable().optional(),
  /** Null without a due date. Absent in earlier versions. */
  due: dueDate.nullable().optional(),
  /**
   * Null if the task is open or completed by watching. `assignment_status` is then `completed` of a
   * task that is marked as done, and stays that of an exempt one. Absent in earlier versions.
   */
  override: taskOverride.nullable().optional(),
  /** The last reset, of an open task. Absent without one, and in earlier versions. */
  reset: taskReset.optional(),
  /** The words of the person who assigned it. Absent without any. */
  note: z.string().optional(),
  ...recurrenceOfTask,
  ...conditionsOfTask,
})
export type Task = z.infer<typeof task>

export const listTasks = defineOperation({
  name: 'listTasks',
  service,
  method: 'GET',
  path: '/supervisor/tasks',
  callers: ['supervisor'],
  summary:
    'The playlists a supervisor may assign, newest first unless another order is asked for: shared by their manager if they have one, else their own. The search looks for a part of the title.',
  query: playlistSearch.extend(playlistOrder),
  response: z.array(playlist),
  errors: ['forbidden', 'invalid'],
})

const assigners = ['supervisor', 'director', 'admin'] as const

export const getConditionLimits = defineOperation({
  name: 'getConditionLimits',
  service,
  method: 'GET',
  path: '/playlists/condition-limits',
  callers: assigners,
  summary: 'What the conditions of a task may name on this installation: the highest credited speed.',
  response: z.object({ max_rate: z.number().min(1) }),
  errors: ['forbidden'],
})

const assignmentOperation = {
  service,
  path: '/playlists/{id}/assign',
  callers: assigners,
  params: idParams,
  body: z.object({
    assigned_users: z.array(id).min(1, 'At least one team member must be selected').max(limits.assignMaxPeople),
  }),
  errors: ['forbidden', 'outside_team', 'not_found', 'invalid'],
} as const

const recurrenceProblem = { path: ['recurrence'], error: 'needs a due date' }
const graceProblem = { path: ['conditions', 'grace_days'], error: 'needs a due date' }
const longGraceProblem = { path: ['conditions', 'grace_days'], error: graceTooLong }

export const assignPlaylist = defineOperation({
  ...assignmentOperation,
  name: 'assignPlaylist',
  method: 'PUT',
  summary:
    'Assigns the playlist to people as of now, with a due date if there is one, with a recurrence if it repeats, under conditions, and with a note to these people; removes nobody, and changes no due date. Returns the number of new assignments.',
  body: assignmentOperation.body
    .extend({
      due: dueDateInput.nullable().optional(),
      recurrence: recurrenceInput.nullable().optional(),
      /** Absent fields have their default. */
      conditions: conditionsInput.optional(),
      /** Shown to those who did not have the playlist. Empty counts as absent. */
      note: text(limits.reasonMaxLength).optional(),
    })
    .refine(({ due, recurrence }) => due || !recurrence, recurrenceProblem)
    .refine(({ due, conditions }) => due || !conditions?.grace_days, graceProblem)
    .refine(({ recurrence, conditions }) => fitsGrace(recurrence, conditions?.grace_days), longGraceProblem),
  response: z.object({ success: z.literal(true), assigned: z.number().int(), playlist }),
  errors: [...assignmentOperation.errors, 'conflict'],
})

export const unassignPlaylist = defineOperation({
  ...assignmentOperation,
  name: 'unassignPlaylist',
  method: 'DELETE',
  summary:
    'Removes the assignment of people. Their watch records stay. Members of a group that has the playlist keep it by the group.',
  response: z.object({
    success: z.literal(true),
    unassigned: z.number().int(),
    /** People who keep the task, because a group has it. Absent in earlier versions. */
    kept_by_group: z.number().int().optional(),
    playlist,
  }),
})

export const setDueDate = defineOperation({
  ...assignmentOperation,
  name: 'setDueDate',
  method: 'PUT',
  path: '/playlists/{id}/assign/due',
  summary:
    'Sets or removes the due date and the conditions of people who have the playlist and have not completed it, and the recurrence also of those who have, with a reason if there is one. Returns the number of changed assignments.',
  body: assignmentOperation.body
    .extend({
      /** Null removes it. Absent keeps it. */
      due: dueDateInput.nullable().optional(),
      /**
       * True moves the due date of the present occurrence only: the next ones stay, and the date
       * must be before them and not before the date that the recurrence gives. Otherwise the
       * recurrence counts from the new due date. Tasks that do not repeat are changed either way.
       */
      only_present_occurrence: z.boolean().optional(),
      /**
       * Null ends the recurrence. Absent keeps it. It ends with the due date, also of those who
       * have completed the task. People without a due date get none.
       */
      recurrence: recurrenceInput.nullable().optional(),
      /** Absent fields stay. People without a due date get no grace period. */
      conditions: conditionsInput.optional(),
      /** Kept with each change of an assignment. Empty counts as absent. */
      reason: text(limits.reasonMaxLength).optional(),
    })
    .refine(body => [body.due, body.recurrence, body.conditions].some(term => term !== undefined), {
      path: ['due'],
      error: 'or a recurrence or conditions are needed',
    })
    .refine(
      ({ only_present_occurrence: movesOne, due, recurrence }) => !movesOne || (due && recurrence === undefined),
      {
        path: ['only_present_occurrence'],
        error: 'needs a due date and no recurrence',
      },
    )
    .refine(({ due, recurrence }) => due !== null || !recurrence, recurrenceProblem)
    .refine(({ due, conditions }) => due !== null || !conditions?.grace_days, graceProblem)
    .refine(({ recurrence, conditions }) => fitsGrace(recurrence, conditions?.grace_days), longGraceProblem),
  response: z.object({ success: z.literal(true), changed: z.number().int(), playlist }),
})

/**
 * `exempt` and `mark_done` apply to people who have not completed the task; one replaces the other.
 * `take_back` makes the task open again, unless it is completed. `reset` starts the task again:
 * earlier watching stays in the history, and progress and completion begin at zero.
 */
export const overrideTask = defineOperation({
  ...assignmentOperation,
  name: 'overrideTask',
  method: 'PUT',
  path: '/playlists/{id}/assign/override',
  summary:
    'Exempts people from the task, marks it as done by hand, takes either back, or starts the task again, with a reason. Returns the number of changed assignments. A repeated change_id changes nothing.',
  body: assignmentOperation.body.extend({
    /** Identifies this change, so that a repeated or late call applies it once. */
    change_id: z.uuid(),
    action: overrideAction,
    reason: text(limits.reasonMaxLength, 1),
  }),
  response: z.object({ success: z.literal(true), changed: z.number().int(), playlist }),
})

export const listedAssignment = z.object({
  user_id: id,
  /** The name of the person. Absent in earlier versions. */
  name: z.string().optional(),
  /** Completed by watching or not; an override does not change it. */
  status: z.enum(['assigned', 'completed']),
  /** The id of the person who assigned it. */
  assigned_by: id,
  assigned_date: time,
  completed_at: time.nullable(),
  due: dueDate.nullable(),
  /** Absent in earlier versions. */
  override: taskOverride.nullable().optional(),
  /** The last reset, of an open task. Absent without one, and in earlier versions. */
  reset: taskReset.optional(),
  /** The groups by which the person has the task. Absent in earlier versions. */
  groups: z.array(z.object({ id, name: z.string() })).optional(),
  /** False if the person has the task by groups only. Absent in earlier versions, meaning true. */
  by_hand: z.boolean().optional(),
  /**
   * Present if the person is deactivated: then they are in no team any more, and their tasks can be
   * changed and withdrawn. Absent in earlier versions.
   */
  deactivated: z.object({ name: z.string() }).optional(),
  ...recurrenceOfTask,
  ...conditionsOfTask,
})
export type ListedAssignment = z.infer<typeof listedAssignment>

export const listAssignees = defineOperation({
  name: 'listAssignees',
  service,
  method: 'GET',
  path: '/playlists/{id}/assign',
  callers: assigners,
  summary:
    'The people who have the playlist, among those to whom the caller may assign, and deactivated people whose tasks the caller may change, by their id.',
  params: idParams,
  query: page.extend({
    /** Only these people: ids separated by commas. */
    user_ids: idList.optional(),
    /** Only deactivated people. Earlier versions ignore it. */
    deactivated: z.literal('true').optional(),
  }),
  response: z.array(listedAssignment),
  errors: ['forbidden', 'not_found', 'invalid'],
})

/** The outcome of a call to remind, for one person. */
export const reminder = z.object({
  user_id: id,
  /**
   * `already_reminded`: of this task, earlier today, by anybody. `no_open_task`: nothing is
   * unfinished, or the person cannot complete the unfinished task that is due first.
   */
  outcome: z.enum(['reminded', 'already_reminded', 'no_open_task']),
  /** The last reminder of the task, this one included; null if nobody was reminded of it today. */
  reminded_at: time.nullable(),
  /** The unfinished task; null without one. */
  playlist_id: id.nullable(),
  title: z.string().nullable(),
  /**
   * The reason why the person cannot complete the unfinished task, and is not reminded of it.
   * Absent otherwise, and in earlier versions.
   */
  uncompletable: z.literal('no_playable_video').optional(),
})
export type Reminder = z.infer<typeof reminder>

/** A second call on the same day, by whomever, reminds nobody again and still succeeds. */
export const remindPeople = defineOperation({
  name: 'remindPeople',
  service,
  method: 'POST',
  path: '/playlists/today/remind',
  callers: ['supervisor', 'manager', 'director', 'admin'],
  summary:
    'Reminds people of today’s unfinished task, or of their unfinished task of a playlist, each of them once a day for each task. Tasks that cannot be completed are left out. Returns the outcome for each person.',
  body: z.object({
    user_ids: z.array(id).min(1, 'At least one person must be selected').max(limits.remindMaxPeople),
    playlist_id: id.optional(),
  }),
  response: z.object({ success: z.literal(true), reminders: z.array(reminder) }),
  errors: ['forbidden', 'outside_team', 'not_found', 'conflict', 'invalid'],
})

export const getToday = defineOperation({
  name: 'getToday',
  service,
  method: 'GET',
  path: '/playlists/today',
  callers: 'signed-in',
  summary: 'Today’s task of the caller, or null.',
  response: task.nullable(),
})

/** The lists below today's task: what comes, and what is completed. */
export const listAssignments = defineOperation({
  name: 'listAssignments',
  service,
  method: 'GET',
  path: '/playlists/assigned',
  callers: 'signed-in',
  summary:
    'The assignments of the caller: all, latest first; or open ones, the most urgent first; or closed ones (completed, marked as done or exempt) by the time of it, latest first.',
  query: page.extend({ status: z.enum(['open', 'completed']).optional() }),
  response: z.array(task),
})

/**
 * A task has the same UID in every file, and a SEQUENCE that grows with its due date and its title.
 * So a calendar that imports a second file updates its entry.
 */
export const exportDueDates = defineOperation({
  name: 'exportDueDates',
  service,
  method: 'GET',
  path: '/playlists/assigned/calendar',
  callers: ['user'],
  summary:
    'The due dates of the caller’s open tasks as a calendar file (iCalendar, RFC 5545), or that of one task. Without any, the calendar is empty.',
  query: z.object({ playlist_id: id.optional() }),
  response: z.null(),
  mediaType: 'text/calendar',
  errors: ['forbidden', 'invalid'],
})

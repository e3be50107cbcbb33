import { z } from 'zod'
import { dueDate, id, idParams, localTime, page, time, timeZone } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'
import { role } from './people.ts'
import { playlist, playlistSearch } from './playlists.ts'

const service = 'playback-session'

/**
 * By when a task is to be completed: a date and time on the clocks of a time zone, by default the
 * organisation's. A later change of that zone's rules does not move a due date that is set.
 */
export const dueDateInput = z.object({
  local: localTime,
  time_zone: timeZone.optional(),
})
export type DueDateInput = z.infer<typeof dueDateInput>

export const assignmentStatus = z.enum(['assigned', 'in_progress', 'completed'])

export const task = playlist.extend({
  assignment_status: assignmentStatus,
  /** The person who assigned it; null if they are unknown. Absent in earlier versions. */
  assigned_by: z.object({ id, name: z.string(), role }).nullable().optional(),
  /** The first completion; null while the task is open. Absent in earlier versions. */
  completed_at: time.nullable().optional(),
  /** Null without a due date. Absent in earlier versions. */
  due: dueDate.nullable().optional(),
})
export type Task = z.infer<typeof task>

export const listTasks = defineOperation({
  name: 'listTasks',
  service,
  method: 'GET',
  path: '/supervisor/tasks',
  callers: ['supervisor'],
  summary:
    'The playlists a supervisor may assign: shared by their manager if they have one, else their own. The search looks for a part of the title.',
  query: playlistSearch,
  response: z.array(playlist),
  errors: ['forbidden'],
})

const assignmentOperation = {
  service,
  path: '/playlists/{id}/assign',
  callers: ['supervisor', 'director', 'admin'],
  params: idParams,
  body: z.object({
    assigned_users: z.array(id).min(1, 'At least one team member must be selected').max(limits.assignMaxPeople),
  }),
  errors: ['forbidden', 'outside_team', 'not_found', 'invalid'],
} as const

export const assignPlaylist = defineOperation({
  ...assignmentOperation,
  name: 'assignPlaylist',
  method: 'PUT',
  summary:
    'Assigns the playlist to people as of now, with a due date if there is one; removes nobody, and changes no due date. Returns the number of new assignments.',
  body: assignmentOperation.body.extend({ due: dueDateInput.nullable().optional() }),
  response: z.object({ success: z.literal(true), assigned: z.number().int(), playlist }),
})

export const unassignPlaylist = defineOperation({
  ...assignmentOperation,
  name: 'unassignPlaylist',
  method: 'DELETE',
  summary: 'Removes the assignment of people. Their watch records stay.',
  response: z.object({ success: z.literal(true), unassigned: z.number().int(), playlist }),
})

export const setDueDate = defineOperation({
  ...assignmentOperation,
  name: 'setDueDate',
  method: 'PUT',
  path: '/playlists/{id}/assign/due',
  summary:
    'Sets or removes the due date of people who have the playlist and have not completed it. Returns the number of changed assignments.',
  body: assignmentOperation.body.extend({ due: dueDateInput.nullable() }),
  response: z.object({ success: z.literal(true), changed: z.number().int(), playlist }),
})

export const listedAssignment = z.object({
  user_id: id,
  status: z.enum(['assigned', 'completed']),
  /** The id of the person who assigned it. */
  assigned_by: id,
  assigned_date: time,
  completed_at: time.nullable(),
  due: dueDate.nullable(),
})
export type ListedAssignment = z.infer<typeof listedAssignment>

export const listAssignees = defineOperation({
  name: 'listAssignees',
  service,
  method: 'GET',
  path: '/playlists/{id}/assign',
  callers: ['supervisor', 'director', 'admin'],
  summary: 'The people who have the playlist, among those to whom the caller may assign, by their id.',
  params: idParams,
  query: page,
  response: z.array(listedAssignment),
  errors: ['forbidden', 'not_found', 'invalid'],
})

/** The outcome of a call to remind, for one person. */
export const reminder = z.object({
  user_id: id,
  /** `already_reminded`: earlier today, by anybody. `no_open_task`: nothing is unfinished. */
  outcome: z.enum(['reminded', 'already_reminded', 'no_open_task']),
  /** The last reminder of the person, this one included; null if there was none. */
  reminded_at: time.nullable(),
  /** Today's unfinished task; null without one. */
  playlist_id: id.nullable(),
  title: z.string().nullable(),
})
export type Reminder = z.infer<typeof reminder>

/** A second call on the same day, by whomever, reminds nobody again and still succeeds. */
export const remindPeople = defineOperation({
  name: 'remindPeople',
  service,
  method: 'POST',
  path: '/playlists/today/remind',
  callers: ['supervisor', 'director', 'admin'],
  summary: 'Reminds people of today’s unfinished task, each of them once a day. Returns the outcome for each person.',
  body: z.object({
    user_ids: z.array(id).min(1, 'At least one person must be selected').max(limits.remindMaxPeople),
  }),
  response: z.object({ success: z.literal(true), reminders: z.array(reminder) }),
  errors: ['forbidden', 'outside_team', 'not_found', 'invalid'],
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
    'The assignments of the caller: all, latest first; or open ones, the most urgent first; or completed ones by their completion, latest first.',
  query: page.extend({ status: z.enum(['open', 'completed']).optional() }),
  response: z.array(task),
})

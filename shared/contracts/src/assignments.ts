import { z } from 'zod'
import { id, idParams, page } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'
import { playlist } from './playlists.ts'

const service = 'playback-session'

export const assignmentStatus = z.enum(['assigned', 'in_progress', 'completed'])

export const task = playlist.extend({ assignment_status: assignmentStatus })
export type Task = z.infer<typeof task>

export const listTasks = defineOperation({
  name: 'listTasks',
  service,
  method: 'GET',
  path: '/supervisor/tasks',
  callers: ['supervisor'],
  summary: 'The playlists a supervisor may assign: shared by their manager if they have one, else their own.',
  query: page,
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
  summary: 'Assigns the playlist to people as of now; removes nobody. Returns the number of new assignments.',
  response: z.object({ success: z.literal(true), assigned: z.number().int(), playlist }),
})

export const unassignPlaylist = defineOperation({
  ...assignmentOperation,
  name: 'unassignPlaylist',
  method: 'DELETE',
  summary: 'Removes the assignment of people. Their watch records stay.',
  response: z.object({ success: z.literal(true), unassigned: z.number().int(), playlist }),
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

/** The caller's assignments, shown as a plain list below today's task. */
export const listAssignments = defineOperation({
  name: 'listAssignments',
  service,
  method: 'GET',
  path: '/playlists/assigned',
  callers: 'signed-in',
  summary: 'All assignments of the caller, latest first.',
  query: page,
  response: z.array(task),
})

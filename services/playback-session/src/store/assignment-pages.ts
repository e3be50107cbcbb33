import { cutPage, timeCursor } from '@watchline/kit/http/paging'
import { z } from 'zod'
import type { Assignment } from '../rules/assignment.ts'
import { filterAfter, type Page, type PageRequest, pageOf } from './page.ts'
import { type AssignmentModel, type AssignmentReader, anyDate, assignmentKey } from './stored-assignment.ts'

/** The end of a page of open assignments: by due date, or after those by the assignment's date. */
export const urgencyCursor = timeCursor.extend({ hasDueDate: z.boolean() })

export type UrgencyCursor = z.infer<typeof urgencyCursor>

interface UrgencyPage {
  items: Assignment[]
  next?: UrgencyCursor
  total: number
}

/** Lists of assignments, page by page. */
export interface AssignmentPageStore {
  /** A person's assignments, latest first, or closed ones, the one that was closed last first. */
  page(personId: string, request: PageRequest & { status?: 'closed' }): Promise<Page<Assignment>>
  /** A person's open assignments: those with a due date by it, then the others, latest first. */
  pageOpen(personId: string, request: { limit: number; after?: UrgencyCursor | undefined }): Promise<UrgencyPage>
  /** The assignments of a playlist by the id of the person, of all people or some. */
  pageOfPlaylist(
    playlistId: string,
    request: { limit: number; after?: string | undefined; personIds?: readonly string[] | undefined },
  ): Promise<{ items: Assignment[]; next?: string; total: number }>
}

export function createAssignmentPageStore(
  stored: AssignmentModel,
  toAssignment: AssignmentReader,
): AssignmentPageStore {
  return {
    page: async (personId, { limit, after, status }) => {
      const filter = { person_id: personId, ...(status && { status: { $in: closedStatuses } }) }
      const dateField = status === 'closed' ? 'completed_at' : 'assigned_date'
      const [rows, total] = await Promise.all([
        stored
          .find({ ...filter, ...filterAfter(dateField, after) })
          .sort({ [dateField]: -1, _id: -1 })
          .limit(limit + 1)
          .lean(),
        stored.countDocuments(filter),
      ])
      return pageOf(rows.map(toAssignment), limit, total, assignment => ({
        at: ((status === 'closed' ? assignment.closedAt : null) ?? assignment.assignedDate).getTime(),
        id: assignmentKey(assignment.personId, assignment.playlistId),
      }))
    },
    pageOpen: async (personId, { limit, after }) => {
      const open = { person_id: personId, status: 'assigned' as const }
      const readDated = () =>
        stored
          .find({ ...open, ...filterDueAfter(after) })
          .sort({ due_at: 1, _id: 1 })
          .limit(limit + 1)
          .lean()
      const dated = after && !after.hasDueDate ? [] : await readDated()
      const readUndated = () =>
        stored
          .find({ ...open, due_at: null, ...filterAfter('assigned_date', after?.hasDueDate ? undefined : after) })
          .sort({ assigned_date: -1, _id: -1 })
          .limit(limit + 1 - dated.length)
          .lean()
      const undated = dated.length > limit ? [] : await readUndated()
      const total = await stored.countDocuments(open)
      return { ...cutPage([...dated, ...undated].map(toAssignment), limit, urgencyCursorOf), total }
    },
    pageOfPlaylist: async (playlistId, { limit, after, personIds }) => {
      const filter = { playlist_id: playlistId, ...(personIds && { person_id: { $in: [...personIds] } }) }
      const [rows, total] = await Promise.all([
        stored
          .find({ $and: [filter, after ? { person_id: { $gt: after } } : {}] })
          .sort({ person_id: 1 })
          .limit(limit + 1)
          .lean(),
        stored.countDocuments(filter),
      ])
      return { ...cutPage(rows.map(toAssignment), limit, ({ personId }) => personId), total }
    },
  }
}

const closedStatuses: Assignment['status'][] = ['completed', 'exempt', 'marked_done']

/** The filter of assignments with a due date after the cursor, for an index of (due_at, _id). */
function filterDueAfter(after: UrgencyCursor | undefined): Record<string, unknown> {
  if (!after) return { due_at: anyDate }
  const at = new Date(after.at)
  return { due_at: { $gte: at }, $or: [{ due_at: { $gt: at } }, { _id: { $gt: after.id } }] }
}

function urgencyCursorOf({ due, assignedDate, personId, playlistId }: Assignment): UrgencyCursor {
  return { at: (due?.at ?? assignedDate).getTime(), id: assignmentKey(personId, playlistId), hasDueDate: due !== null }
}

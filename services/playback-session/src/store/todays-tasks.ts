import type { Day } from '@watchline/kit/core/calendar'
import { type Assignment, findMostUrgent } from '../rules/assignment.ts'
import { type AssignmentModel, type AssignmentReader, anyDate, type StoredAssignment } from './stored-assignment.ts'

/** The tasks from which today's is chosen. */
export interface TodaysTaskStore {
  /** The assignments among which today's task is, except of some playlists. */
  findTodaysCandidates(personId: string, day: Day, exceptPlaylistIds: readonly string[]): Promise<Assignment[]>
  /**
   * Today's open task, by person: the most urgent one dated before the end of the day, except of
   * some playlists.
   */
  findMostUrgentOpen(
    personIds: readonly string[],
    day: Day,
    exceptPlaylistIds: readonly string[],
  ): Promise<Map<string, Assignment>>
}

export function createTodaysTaskStore(stored: AssignmentModel, toAssignment: AssignmentReader): TodaysTaskStore {
  return {
    findTodaysCandidates: async (personId, day, exceptPlaylistIds) => {
      const own = {
        person_id: personId,
        ...(exceptPlaylistIds.length > 0 && { playlist_id: { $nin: [...exceptPlaylistIds] } }),
      }
      const open = { ...own, status: 'assigned' as const, assigned_date: { $lt: new Date(day.end) } }
      const [due, latest, completed] = await Promise.all([
        stored
          .find({ ...open, due_at: anyDate })
          .sort({ due_at: 1, _id: 1 })
          .limit(1)
          .lean(),
        stored.find(open).sort({ assigned_date: -1, _id: -1 }).limit(1).lean(),
        stored
          .find({
            ...own,
            status: 'completed',
            completed_at: { $gte: new Date(day.start), $lt: new Date(day.end) },
          })
          .sort({ completed_at: -1, _id: -1 })
          .limit(1)
          .lean(),
      ])
      return [...due, ...latest, ...completed].map(toAssignment)
    },
    findMostUrgentOpen: async (personIds, day, exceptPlaylistIds) => {
      const open = {
        ...{ person_id: { $in: [...personIds] }, status: 'assigned' },
        assigned_date: { $lt: new Date(day.end) },
        ...(exceptPlaylistIds.length > 0 && { playlist_id: { $nin: [...exceptPlaylistIds] } }),
      }
      // Each sort is the order of an index, so MongoDB reads one document for each person.
      const findFirst = (filter: Record<string, unknown>, order: Record<string, 1 | -1>) =>
        stored.aggregate<{ first: StoredAssignment }>([
          { $match: { ...open, ...filter } },
          { $sort: { person_id: 1, status: 1, ...order } },
          { $group: { _id: '$person_id', first: { $first: '$$ROOT' } } },
        ])
      const groups = await Promise.all([
        findFirst({ due_at: anyDate }, { due_at: 1, _id: 1 }),
        findFirst({}, { assigned_date: -1, _id: -1 }),
      ])
      const candidates = Map.groupBy(
        groups.flat().map(({ first }) => toAssignment(first)),
        ({ personId }) => personId,
      )
      return new Map([...candidates].map(([personId, assignments]) => [personId, findMostUrgent(assignments)!]))
    },
  }
}

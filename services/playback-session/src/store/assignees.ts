import type { Connection } from 'mongoose'
import { type AssignmentModel, playlistOfKey, type StoredAssignment } from './stored-assignment.ts'

/** The people a playlist is assigned to, latest first, and the latest date. */
export interface Assignees {
  personIds: string[]
  latest: Date | null
}

/** How many people have a playlist, and the latest of them. */
export interface AssigneeSummary extends Assignees {
  count: number
}

/** A summary lists at most this many people, so that memory holds those of many playlists. */
const summarisedAssignees = 100

/** The people who have a playlist. */
export interface AssigneeStore {
  /** The assignees of each playlist among all people. Playlists that nobody has are absent. */
  summariseAssignees(playlistIds: readonly string[]): Promise<Map<string, AssigneeSummary>>
  /** How many people have each playlist. Playlists that nobody has are absent. */
  countAllAssignees(playlistIds: readonly string[]): Promise<Map<string, number>>
  /** The assignees of each playlist: those of `personIds`, or the latest `limit` of all people. */
  findAssignees(
    playlistIds: readonly string[],
    scope: { personIds: readonly string[] } | { everybody: true; limit: number },
  ): Promise<Map<string, Assignees>>
  /** How many of these people have each playlist. Playlists that none of them has are absent. */
  countAssignees(personIds: readonly string[]): Promise<Map<string, number>>
}

export function createAssigneeStore(connection: Connection, stored: AssignmentModel): AssigneeStore {
  async function countAllAssignees(playlistIds: readonly string[]): Promise<Map<string, number>> {
    const counts = await stored.aggregate<{ _id: string; count: number }>([
      { $match: { playlist_id: { $in: [...playlistIds] } } },
      { $group: { _id: '$playlist_id', count: { $sum: 1 } } },
    ])
    return new Map(counts.map(({ _id, count }) => [_id, count]))
  }

  return {
    summariseAssignees: async playlistIds => {
      const [counts, latest] = await Promise.all([
        countAllAssignees(playlistIds),
        findLatest(connection, playlistIds, summarisedAssignees),
      ])
      const assignees = groupByPlaylist(latest)
      return new Map(
        [...counts].flatMap(([id, count]) => {
          const found = assignees.get(id)
          return found ? [[id, { ...found, count: Math.max(count, found.personIds.length) }]] : []
        }),
      )
    },
    countAllAssignees,
    findAssignees: async (playlistIds, scope) => {
      const rows =
        'everybody' in scope
          ? await findLatest(connection, playlistIds, scope.limit)
          : await stored
              .find(
                { playlist_id: { $in: [...playlistIds] }, person_id: { $in: [...scope.personIds] } },
                { playlist_id: 1, person_id: 1, assigned_date: 1 },
              )
              .sort({ assigned_date: -1, _id: -1 })
              .lean()
      return groupByPlaylist(rows)
    },
    countAssignees: async personIds => {
      // An index holds the id, so that no assignment is read.
      const rows = await stored
        .find({ person_id: { $in: [...personIds] } }, { _id: 1 })
        .hint({ person_id: 1, assigned_date: -1, _id: -1 })
        .lean()
      const counts = new Map<string, number>()
      for (const { _id } of rows) {
        const playlistId = playlistOfKey(_id)
        counts.set(playlistId, (counts.get(playlistId) ?? 0) + 1)
      }
      return counts
    },
  }
}

type AssigneeRow = Pick<StoredAssignment, 'playlist_id' | 'person_id' | 'assigned_date'>

function groupByPlaylist(rows: readonly AssigneeRow[]): Map<string, Assignees> {
  const assignees = new Map<string, Assignees>()
  for (const { playlist_id, person_id, assigned_date } of rows) {
    const ofPlaylist = assignees.get(playlist_id)
    if (ofPlaylist) ofPlaylist.personIds.push(person_id)
    else assignees.set(playlist_id, { personIds: [person_id], latest: assigned_date })
  }
  return assignees
}

/**
 * Reads the latest assignees of all playlists in one command, with a bounded index scan for each
 * playlist.
 */
async function findLatest(
  connection: Connection,
  playlistIds: readonly string[],
  limit: number,
): Promise<AssigneeRow[]> {
  const playlists = await connection
    .collection<{ _id: string }>('playlists')
    .aggregate<{ latest: AssigneeRow[] }>([
      { $match: { _id: { $in: [...playlistIds] } } },
      {
        $lookup: {
          from: 'assignments',
          localField: '_id',
          foreignField: 'playlist_id',
          pipeline: [
            { $sort: { assigned_date: -1 } },
            { $limit: limit },
            { $project: { _id: 0, playlist_id: 1, person_id: 1, assigned_date: 1 } },
          ],
          as: 'latest',
        },
      },
      { $project: { latest: 1 } },
    ])
    .toArray()
  return playlists.flatMap(playlist => playlist.latest)
}

import type { PersonSnapshot } from '@watchline/contracts/people'
import { newId } from '@watchline/kit/mongo/database'
import { makePersonSnapshot } from '@watchline/testing/harness'
import type mongoose from 'mongoose'
import { type VideoWatch, videoKey } from '../../../../services/engagement/src/rules/watch-state.ts'
import { insertDocuments, toProjectedPerson } from '../../shared/documents.ts'

const teamCount = 5_000
const teamSize = 10
const playlistCount = 200
const videosPerPlaylist = 10
const playlistsPerPerson = 2
const videoLengthS = 600
const insertAtOnce = 5_000

export const recordsPerPerson = playlistsPerPerson * videosPerPlaylist

/**
 * Inserts a million engagement records, as the engagement service stores them. Returns the
 * supervisors.
 */
export async function insertEngagementRecords(database: mongoose.mongo.Db): Promise<PersonSnapshot[]> {
  const playlists = Array.from({ length: playlistCount }, (_, index) => ({
    _id: newId(),
    title: `Playlist ${index}`,
    created_by: newId(),
    shared_with: [],
    videos: Array.from({ length: videosPerPlaylist }, (_, video) => ({
      id: `v${video}`,
      title: `Video ${video}`,
      duration: videoLengthS,
      unavailable: false,
    })),
  }))
  await insertDocuments(database, 'playlists', playlists)
  const supervisors = Array.from({ length: teamCount }, () => makePersonSnapshot({ role: 'supervisor' }))
  await insertDocuments(database, 'people', supervisors.map(toProjectedPerson))
  const now = Date.now()
  const pending = { people: [] as object[], assignments: [] as object[], watchers: [] as object[] }
  const insertPending = async () => {
    for (const [collection, documents] of Object.entries(pending))
      await insertDocuments(database, collection, documents.splice(0))
  }
  for (const [index, supervisor] of supervisors.entries()) {
    for (let member = 0; member < teamSize; member += 1) {
      const person = makePersonSnapshot({ role: 'user', supervisor_id: supervisor.id })
      pending.people.push(toProjectedPerson(person))
      const assignedPlaylists = Array.from(
        { length: playlistsPerPerson },
        (_, number) => playlists[(index + member + number) % playlistCount]!,
      )
      for (const { _id: playlist_id } of assignedPlaylists) {
        const _id = `${person.id}:${playlist_id}`
        pending.assignments.push({ _id, person_id: person.id, playlist_id, assigned: true, at: new Date(now) })
      }
      const keys = assignedPlaylists.flatMap(({ _id, videos }) => videos.map(({ id }) => videoKey(_id, id)))
      pending.watchers.push(makeStoredWatcher(person.id, keys, now))
    }
    if (pending.watchers.length >= insertAtOnce) await insertPending()
  }
  await insertPending()
  return supervisors
}

/** A person who has watched a different share of each video, from nothing to all of it. */
function makeStoredWatcher(personId: string, videoKeys: readonly string[], now: number) {
  const videos = videoKeys.map((key, index): [string, VideoWatch] => {
    const watchTime = (videoLengthS * ((index * 37) % 101)) / 100
    const completedAt = watchTime >= 0.9 * videoLengthS ? now - index * 3_600_000 : null
    const notes = index % 7 === 0 ? { skipped: { times: 2, seconds: 45 } } : {}
    const intervals: VideoWatch['intervals'] =
      watchTime > 20
        ? [
            [0, watchTime - 15],
            [watchTime - 5, watchTime],
          ]
        : []
    return [
      key,
      { intervals, watchTime, duration: videoLengthS, notes, completedAt, lastReportAt: now - index * 60_000 },
    ]
  })
  return {
    _id: personId,
    version: videoKeys.length,
    balance: 0,
    holds: [],
    forgottenTo: 0,
    waiting: [],
    anchors: [],
    seen: [],
    videos: Object.fromEntries(videos),
  }
}

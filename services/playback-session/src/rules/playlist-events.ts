import type { EventData } from '@watchline/contracts/events'
import type { Video } from '@watchline/contracts/playlists'
import type { PlaylistSnapshot } from '@watchline/contracts/snapshots'
import type { DueDate, Terms } from './assignment.ts'
import type { Playlist } from './playlist.ts'

/** The playlist for the projections of other services. */
export function presentPlaylistSnapshot(playlist: Playlist): PlaylistSnapshot {
  return {
    playlist_id: playlist.id,
    title: playlist.title,
    created_by: playlist.createdBy,
    shared_with: playlist.sharedWith,
    revision: playlist.revision,
    videos: playlist.videos.map(({ id, title, duration, unavailable }) => ({
      id,
      title,
      duration,
      unavailable: unavailable ?? false,
    })),
  }
}

/** `supervisorIds` are those who have the playlist now and did not have it before. */
export function presentSharing(playlist: Playlist, supervisorIds: string[]): EventData<'playlist.shared'> {
  return {
    playlist_id: playlist.id,
    title: playlist.title,
    by: playlist.createdBy,
    shared_with: supervisorIds,
  }
}

/** `assigned` are the people who did not have the playlist before. */
export function presentAssigning(
  playlist: Playlist,
  {
    by,
    assigned,
    assignedDate,
    note,
    ...terms
  }: { by: string; assigned: string[]; assignedDate: Date; note?: string } & Terms,
): EventData<'playlist.assigned'> {
  return {
    playlist_id: playlist.id,
    title: playlist.title,
    by,
    assigned,
    assigned_date: assignedDate.toISOString(),
    ...(note && { note }),
    ...presentTerms(terms),
  }
}

/** Default conditions are left out. */
export function presentTerms({ due, recurrence, conditions }: Terms) {
  return { due: due && presentDue(due), recurrence, ...(conditions && { conditions }) }
}

/** Of a change of assignments. Conditions are named also if they are the default now. */
export function presentNewTerms(terms: Terms) {
  return { ...presentTerms(terms), conditions: terms.conditions }
}

export function presentDue({ at, local, timeZone, zoneOf }: DueDate) {
  return { at: at.toISOString(), local, time_zone: timeZone, ...(zoneOf && { time_zone_of: zoneOf }) }
}

/** `confirmed`: the video is marked as unavailable. Otherwise a person has to check it. */
export function presentUnavailableVideo(
  playlist: Playlist,
  video: Pick<Video, 'id' | 'title'>,
  { personId, confirmed }: { personId: string | null; confirmed: boolean },
): EventData<'video.unavailable'> {
  return {
    playlist_id: playlist.id,
    video_id: video.id,
    title: video.title,
    person_id: personId,
    confirmed,
    playlist_title: playlist.title,
    created_by: playlist.createdBy,
    shared_with: playlist.sharedWith,
  }
}

import type { BodyInputOf } from '@watchline/contracts/operation'
import { type Playlist, updatePlaylist } from '@watchline/contracts/playlists'
import { durationInput } from './duration-input.ts'
import {
  type FieldErrors,
  fieldErrors,
  type PlaylistDraft,
  parseDraft,
  secondsOf,
  videoInputs,
} from './playlist-draft.ts'
import { loadSessionDraft } from './session-draft.ts'

export type DraftField = keyof PlaylistDraft
const fields = ['title', 'description', 'videos'] as const

/** A playlist as it can be edited. */
export function draftFromPlaylist(playlist: Playlist): PlaylistDraft {
  return {
    title: playlist.title,
    description: playlist.description,
    videos: playlist.videos.map(({ provider, id, url, title, duration, unavailable }) => ({
      provider,
      id,
      ...(url !== null && { url }),
      title,
      duration: durationInput(duration),
      measured: duration,
      ...(unavailable && { unavailable }),
    })),
  }
}

/** An edit: what it began with, and what has been made of it. */
export interface DraftEdit {
  base: PlaylistDraft
  draft: PlaylistDraft
}

export function hasChanges({ base, draft }: DraftEdit): boolean {
  return fields.some(field => !same(field, base, draft))
}

/**
 * The edit upon a later state of the playlist: what was not touched becomes what it is now, what was typed stays. `differing`
 * are the fields that were changed on both sides.
 */
export function rebaseEdit({ base, draft }: DraftEdit, latest: PlaylistDraft): DraftEdit & { differing: DraftField[] } {
  const touched = fields.filter(field => !same(field, base, draft))
  const merged = { ...latest, ...Object.fromEntries(touched.map(field => [field, draft[field]])) }
  const differing = touched.filter(field => !same(field, base, latest) && !same(field, draft, latest))
  return { base: latest, draft: merged, differing }
}

function same(field: DraftField, one: PlaylistDraft, other: PlaylistDraft): boolean {
  if (field !== 'videos') return one[field].trim() === other[field].trim()
  return videosText(one) === videosText(other)
}

function videosText({ videos }: PlaylistDraft): string {
  return JSON.stringify(
    videos.map(video => [video.id, video.url ?? null, video.title.trim(), secondsOf(video) ?? video.duration]),
  )
}

type Checked = { ok: true; body: BodyInputOf<typeof updatePlaylist> } | { ok: false; errors: FieldErrors }

/** The request that the edit makes, with the videos only if they were changed, or what is wrong with it. */
export function checkEdit({ base, draft }: DraftEdit, revision: number): Checked {
  const body = {
    title: draft.title,
    description: draft.description,
    ...(!same('videos', base, draft) && { videos: videoInputs(draft) }),
    revision,
  }
  const parsed = updatePlaylist.body!.safeParse(body)
  if (parsed.success) return { ok: true, body }
  return {
    ok: false,
    errors: fieldErrors(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))),
  }
}

/** An edit of this playlist as it was left in this tab, upon what the playlist is now; else a new one. */
export function loadEdit(key: string, playlist: Playlist): DraftEdit & { differing: DraftField[] } {
  const latest = draftFromPlaylist(playlist)
  const kept = loadSessionDraft(key) as Partial<DraftEdit> | undefined
  const base = parseDraft(kept?.base)
  const draft = parseDraft(kept?.draft)
  return base && draft ? rebaseEdit({ base, draft }, latest) : { base: latest, draft: latest, differing: [] }
}

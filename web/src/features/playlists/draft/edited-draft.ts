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

/** The editable part of a playlist. */
export function draftFromPlaylist(playlist: Playlist): PlaylistDraft {
  return {
    title: playlist.title,
    description: playlist.description,
    videos: playlist.videos.map(({ provider, id, url, media_url, title, duration, unavailable }) => ({
      provider,
      id,
      ...(url !== null && { url }),
      ...(media_url !== undefined && { media_url }),
      title,
      duration: durationInput(duration),
      measured: duration,
      ...(unavailable && { unavailable }),
    })),
  }
}

/** An edit: its base and the present draft. */
export interface DraftEdit {
  base: PlaylistDraft
  draft: PlaylistDraft
}

export function hasChanges({ base, draft }: DraftEdit): boolean {
  return fields.some(field => !isSame(field, base, draft))
}

/**
 * Rebases an edit onto a later state of the playlist: untouched fields take the new value, touched
 * fields keep the draft's. `conflicts` lists the fields that both sides changed.
 */
export function rebaseEdit(
  { base, draft }: DraftEdit,
  latestDraft: PlaylistDraft,
): DraftEdit & { conflicts: DraftField[] } {
  const changedFields = fields.filter(field => !isSame(field, base, draft))
  const mergedDraft = { ...latestDraft, ...Object.fromEntries(changedFields.map(field => [field, draft[field]])) }
  const conflicts = changedFields.filter(
    field => !isSame(field, base, latestDraft) && !isSame(field, draft, latestDraft),
  )
  return { base: latestDraft, draft: mergedDraft, conflicts }
}

function isSame(field: DraftField, firstDraft: PlaylistDraft, secondDraft: PlaylistDraft): boolean {
  if (field !== 'videos') return firstDraft[field].trim() === secondDraft[field].trim()
  return videosText(firstDraft) === videosText(secondDraft)
}

function videosText({ videos }: PlaylistDraft): string {
  return JSON.stringify(
    videos.map(video => [video.id, video.url ?? null, video.title.trim(), secondsOf(video) ?? video.duration]),
  )
}

type EditCheck = { ok: true; body: BodyInputOf<typeof updatePlaylist> } | { ok: false; errors: FieldErrors }

/** The request for the edit, or its errors. Contains the videos only if they changed. */
export function checkEdit({ base, draft }: DraftEdit, revision: number): EditCheck {
  const body = {
    title: draft.title,
    description: draft.description,
    ...(!isSame('videos', base, draft) && { videos: videoInputs(draft) }),
    revision,
  }
  const parseResult = updatePlaylist.body!.safeParse(body)
  if (parseResult.success) return { ok: true, body }
  return {
    ok: false,
    errors: fieldErrors(parseResult.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))),
  }
}

/**
 * Loads this tab's stored edit, rebased onto the present playlist. Without one, starts a new edit.
 */
export function loadEdit(key: string, playlist: Playlist): DraftEdit & { conflicts: DraftField[] } {
  const latestDraft = draftFromPlaylist(playlist)
  const storedEdit = loadSessionDraft(key) as Partial<DraftEdit> | undefined
  const base = parseDraft(storedEdit?.base)
  const draft = parseDraft(storedEdit?.draft)
  return base && draft
    ? rebaseEdit({ base, draft }, latestDraft)
    : { base: latestDraft, draft: latestDraft, conflicts: [] }
}

import { limits } from '@watchline/contracts/limits'
import { type NoteCode, noteCodes, type VideoWatch, type WatchState } from './watch-state.ts'

/** How many notes of one video came after its last `integrity.noted` event. */
export interface UnpublishedNotes {
  key: string
  notes: { code: NoteCode; times: number }[]
}

export interface NoteSelection {
  /** The notes to publish are marked as published in it. */
  state: WatchState
  /** Keys of the videos whose notes must wait. */
  unpublishedKeys: readonly string[]
  /** The transaction that stores the state must publish these. */
  notesToPublish: UnpublishedNotes[]
}

/**
 * Selects the notes to publish now: at most once in `limits.integrityNoteMs` for each video.
 * Later notes of the video are summed up; the next report of the person after that time
 * publishes them. `before` is the stored watcher. `now` is in ms.
 */
export function selectNotesToPublish(
  before: { state: WatchState; unpublishedKeys: readonly string[] },
  state: WatchState,
  touched: ReadonlySet<string>,
  now: number,
): NoteSelection {
  const { unpublishedKeys } = before
  const noted = [...touched].filter(key => state.videos[key]?.notes !== before.state.videos[key]?.notes)
  if (noted.length === 0 && unpublishedKeys.length === 0) return { state, unpublishedKeys, notesToPublish: [] }
  const videos: Record<string, VideoWatch> = { ...state.videos }
  const waitingKeys: string[] = []
  const notesToPublish: UnpublishedNotes[] = []
  for (const key of new Set([...unpublishedKeys, ...noted])) {
    const video = videos[key]
    const notes = video ? findUnpublishedNotes(video) : []
    if (!video || notes.length === 0) continue
    if (video.publishedNotes && now < video.publishedNotes.at + limits.integrityNoteMs) {
      waitingKeys.push(key)
      continue
    }
    videos[key] = { ...video, publishedNotes: { at: now, times: countNotes(video) } }
    notesToPublish.push({ key, notes })
  }
  const isSame =
    waitingKeys.length === unpublishedKeys.length && waitingKeys.every((key, at) => key === unpublishedKeys[at])
  return {
    state: notesToPublish.length > 0 ? { ...state, videos } : state,
    unpublishedKeys: isSame ? unpublishedKeys : waitingKeys,
    notesToPublish,
  }
}

function findUnpublishedNotes({ notes, publishedNotes }: VideoWatch): UnpublishedNotes['notes'] {
  return noteCodes.flatMap(code => {
    const times = (notes[code]?.times ?? 0) - (publishedNotes?.times[code] ?? 0)
    return times > 0 ? [{ code, times }] : []
  })
}

function countNotes({ notes }: VideoWatch): Partial<Record<NoteCode, number>> {
  return Object.fromEntries(noteCodes.flatMap(code => (notes[code] ? [[code, notes[code].times]] : [])))
}

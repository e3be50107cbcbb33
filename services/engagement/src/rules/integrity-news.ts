import { limits } from '@watchline/contracts/limits'
import { type NoteCode, noteCodes, type VideoWatch, type WatchState } from './watch-state.ts'

/** What was noted of one video since it was told last. */
export interface IntegrityNews {
  key: string
  notes: { code: NoteCode; times: number }[]
}

export interface Telling {
  /** With what is told now marked as told. */
  state: WatchState
  /** Keys of the videos of which something is noted that nobody was told yet. */
  untold: readonly string[]
  /** To be told in the same transaction that stores the state. */
  news: IntegrityNews[]
}

/**
 * Which notes are to be told now: of each video at most once in limits.integrityNoteMs. What is noted meanwhile waits on the person's
 * document and is added up, until any later report of theirs. `before` is the state as it is stored, `untold` what waits there.
 */
export function integrityNews(
  before: { state: WatchState; untold: readonly string[] },
  state: WatchState,
  touched: ReadonlySet<string>,
  now: number,
): Telling {
  const noted = [...touched].filter(key => state.videos[key]?.notes !== before.state.videos[key]?.notes)
  if (noted.length === 0 && before.untold.length === 0) return { state, untold: before.untold, news: [] }
  const videos: Record<string, VideoWatch> = { ...state.videos }
  const waiting: string[] = []
  const news: IntegrityNews[] = []
  for (const key of new Set([...before.untold, ...noted])) {
    const video = videos[key]
    const notes = video ? untoldOf(video) : []
    if (!video || notes.length === 0) continue
    if (video.told && now < video.told.at + limits.integrityNoteMs) {
      waiting.push(key)
      continue
    }
    videos[key] = { ...video, told: { at: now, times: timesOf(video) } }
    news.push({ key, notes })
  }
  const isSame = waiting.length === before.untold.length && waiting.every((key, at) => key === before.untold[at])
  return {
    state: news.length > 0 ? { ...state, videos } : state,
    untold: isSame ? before.untold : waiting,
    news,
  }
}

function untoldOf({ notes, told }: VideoWatch): IntegrityNews['notes'] {
  return noteCodes.flatMap(code => {
    const times = (notes[code]?.times ?? 0) - (told?.times[code] ?? 0)
    return times > 0 ? [{ code, times }] : []
  })
}

function timesOf({ notes }: VideoWatch): Partial<Record<NoteCode, number>> {
  return Object.fromEntries(noteCodes.flatMap(code => (notes[code] ? [[code, notes[code].times]] : [])))
}

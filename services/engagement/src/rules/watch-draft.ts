import { isComplete } from './completion.ts'
import { extendCreditHistory } from './credit-history.ts'
import type { NoteCode, VideoWatch, WatchState } from './watch-state.ts'

/** The result of a transition of a person's watch state. */
export interface CreditingEffect {
  state: WatchState
  /** The event id was seen before. The state is the same object as before. */
  repeated: boolean
  /** The position is not in the video. The state is the same object as before. */
  refused: boolean
  /** Seconds credited by this transition, also for earlier candidates. */
  credited: number
  /** Keys of the videos whose watch changed. */
  touched: string[]
  /** Keys of the videos that became complete. */
  completed: string[]
}

/**
 * A watch state under construction. It shares every unchanged part with the state it was opened
 * from.
 */
export interface WatchDraft extends WatchState {
  videos: Record<string, VideoWatch>
  touched: Set<string>
  completed: string[]
  credited: number
}

export function openDraft(state: WatchState): WatchDraft {
  return { ...state, videos: { ...state.videos }, touched: new Set(), completed: [], credited: 0 }
}

export function closeDraft({ touched, completed, credited, ...state }: WatchDraft): CreditingEffect {
  return { ...makeEmptyEffect(state), credited, touched: [...touched], completed }
}

export function makeEmptyEffect(state: WatchState): CreditingEffect {
  return { state, repeated: false, refused: false, credited: 0, touched: [], completed: [] }
}

/** Every change of a video goes through here, so none can complete a video unnoticed. */
export function changeVideo(
  draft: WatchDraft,
  key: string,
  now: number,
  change: (video: VideoWatch) => Partial<VideoWatch>,
): void {
  const before = draft.videos[key] ?? makeWatch(now)
  const changed = { ...before, ...change(before) }
  const creditHistory = extendCreditHistory(before, changed.intervals, now)
  const video: VideoWatch = creditHistory.length > 0 ? { ...changed, creditHistory } : changed
  if (video.completedAt === null && isComplete(video.intervals, video.duration)) {
    video.completedAt = now
    draft.completed.push(key)
  }
  draft.videos[key] = video
  draft.touched.add(key)
}

export function addNote(draft: WatchDraft, key: string, code: NoteCode, seconds: number, now: number, times = 1): void {
  changeVideo(draft, key, now, ({ notes }) => {
    const before = notes[code] ?? { times: 0, seconds: 0 }
    return { notes: { ...notes, [code]: { times: before.times + times, seconds: before.seconds + seconds } } }
  })
}

function makeWatch(now: number): VideoWatch {
  return { intervals: [], watchTime: 0, duration: null, notes: {}, completedAt: null, lastReportAt: now }
}

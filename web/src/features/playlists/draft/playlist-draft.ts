import type { BodyInputOf } from '@watchline/contracts/operation'
import { createPlaylist, mediaUrl, type VideoProvider } from '@watchline/contracts/playlists'
import { isHls } from '../../../ui/progress/is-hls.ts'
import { durationInput, parseDuration } from './duration-input.ts'
import { fileVideoId, titleFromFile } from './file-video.ts'
import { withoutOwnOrigin } from './own-file.ts'
import { loadSessionDraft, saveSessionDraft } from './session-draft.ts'
import { parseYoutubeId } from './youtube-id.ts'

export interface DraftVideo {
  provider: VideoProvider
  id: string
  url?: string
  /** The address of an own file for this login session. */
  media_url?: string
  title: string
  /** The typed text: m:ss or h:mm:ss. */
  duration: string
  /** Exact seconds from the media's metadata. Valid while `duration` shows the same value. */
  measured?: number
  /** There is no file at the address, pages may not load it, or this browser could not read it. */
  problem?: 'missing' | 'blocked' | 'unreadable'
  /** The video is known not to be playable. */
  unavailable?: boolean
}

export interface PlaylistDraft {
  title: string
  description: string
  videos: DraftVideo[]
}

export const emptyDraft: PlaylistDraft = { title: '', description: '', videos: [] }

/** Messages by field: `title`, `description`, `videos`, `videos.0.title`, `videos.0.duration`, … */
export type FieldErrors = Record<string, string>

export type VideoAddition = { ok: true; video: DraftVideo } | { ok: false; message: string }

/** Parses an id or address into a video. Fails if the draft already contains it. */
export function videoFrom(source: string, draft: PlaylistDraft): VideoAddition {
  const input = source.trim()
  if (input === '') return { ok: false, message: 'Enter a YouTube video or the address of a file' }
  const video = youtubeVideo(input) ?? fileVideo(input)
  if (!video) return { ok: false, message: invalidSourceMessage(input) }
  if (draft.videos.some(({ id }) => id === video.id))
    return { ok: false, message: 'This video is already in the playlist' }
  return { ok: true, video }
}

function youtubeVideo(input: string): DraftVideo | undefined {
  const id = parseYoutubeId(input)
  return id === undefined ? undefined : { provider: 'youtube', id, title: '', duration: '' }
}

function fileVideo(input: string): DraftVideo | undefined {
  if (isYouTubeAddress(input) || !mediaUrl.safeParse(input).success) return undefined
  const url = withoutOwnOrigin(input)
  return { provider: 'file', id: fileVideoId(url), url, title: titleFromFile(url), duration: '' }
}

function invalidSourceMessage(input: string): string {
  if (isYouTubeAddress(input)) return 'This YouTube address does not name one video'
  return 'This is neither a YouTube video nor the address of a file (MP4, WebM or HLS)'
}

function isYouTubeAddress(input: string): boolean {
  return /^(?:https?:\/\/)?(?:[\w-]+\.)*(?:youtube(?:-nocookie)?\.com|youtu\.be)(?:[/?#:]|$)/i.test(input)
}

/** The seconds of one video; undefined if its duration cannot be parsed. */
export function secondsOf({ duration, measured }: DraftVideo): number | undefined {
  if (measured !== undefined && durationInput(measured) === duration.trim()) return measured
  return parseDuration(duration)
}

export function totalSeconds(draft: PlaylistDraft): number {
  return draft.videos.reduce((total, video) => total + (secondsOf(video) ?? 0), 0)
}

export type DraftCheck = { ok: true; body: BodyInputOf<typeof createPlaylist> } | { ok: false; errors: FieldErrors }

/** Checks the draft with the contract's schema. Gives the request, or the errors by field. */
export function checkDraft(draft: PlaylistDraft): DraftCheck {
  const body = {
    title: draft.title,
    description: draft.description,
    videos: videoInputs(draft),
  }
  const parseResult = createPlaylist.body!.safeParse(body)
  const unplayable = unplayableFileErrors(draft.videos)
  if (parseResult.success && Object.keys(unplayable).length === 0) return { ok: true, body }
  return {
    ok: false,
    errors: {
      ...unplayable,
      ...fieldErrors((parseResult.error?.issues ?? []).map(({ path, message }) => ({ path: path.join('.'), message }))),
    },
  }
}

const missingFileMessage = 'There is no video file at this address. Remove the video, or correct the address.'

const blockedFileMessage =
  'This video cannot play until its host is allowed. Ask the person who runs Watchline to add the host (MEDIA_HOSTS).'

/** The message about a file that certainly does not play; undefined if it may play. */
export function unplayableFileMessage({ problem, url }: DraftVideo): string | undefined {
  if (problem === 'missing') return missingFileMessage
  // Some browsers play HLS by themselves, which other rules allow.
  return problem === 'blocked' && !isHls(url ?? '') ? blockedFileMessage : undefined
}

/** Refuses files that certainly do not play. */
export function unplayableFileErrors(videos: readonly DraftVideo[]): FieldErrors {
  return Object.fromEntries(
    videos.flatMap((video, index) => {
      const message = unplayableFileMessage(video)
      return message === undefined ? [] : [[`videos.${index}.title`, message]]
    }),
  )
}

/**
 * The videos in the contract's form. An unparsable length becomes NaN, which the contract rejects.
 */
export function videoInputs(draft: PlaylistDraft) {
  return draft.videos.map(video => ({
    provider: video.provider,
    id: video.id,
    ...(video.url !== undefined && { url: video.url }),
    title: video.title,
    duration: secondsOf(video) ?? Number.NaN,
  }))
}

/** The first message for each field, as a sentence, from the schema or from the server. */
export function fieldErrors(problems: readonly { path: string; message: string }[]): FieldErrors {
  const errors: FieldErrors = {}
  for (const { path, message } of problems) {
    // A row has no field for id or address, so their errors appear at its title.
    const field = path.replace(/^(videos\.\d+)(?:\.(?:id|url|provider))?$/, '$1.title')
    errors[field] ??= asSentence(path, message)
  }
  return errors
}

const subjects: Record<string, string> = {
  title: 'The title',
  description: 'The description',
  youtube_playlist_url: 'The address',
}

function asSentence(path: string, message: string): string {
  const field = path.split('.').at(-1) ?? ''
  if (field === 'duration') return 'Use m:ss or h:mm:ss, under 24 hours'
  const subject = path === 'videos' ? 'The playlist' : subjects[field]
  if (/^[A-Z]/.test(message)) return message
  return `${subject ?? 'The video'} ${message}`
}

/** Loads the draft from this tab's storage. */
export function loadDraft(key: string): PlaylistDraft {
  return parseDraft(loadSessionDraft(key)) ?? emptyDraft
}

export function saveDraft(key: string, draft: PlaylistDraft): void {
  saveSessionDraft(key, JSON.stringify(draft) === emptyDraftText ? undefined : draft)
}

const emptyDraftText = JSON.stringify(emptyDraft)

export function parseDraft(storedValue: unknown): PlaylistDraft | undefined {
  const input = storedValue as Partial<PlaylistDraft> | undefined
  if (!input || !Array.isArray(input.videos)) return undefined
  return { title: String(input.title ?? ''), description: String(input.description ?? ''), videos: input.videos }
}

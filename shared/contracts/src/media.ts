import { z } from 'zod'

/**
 * A WebVTT file beside an own video: `film.en.vtt` holds captions, `film.en.descriptions.vtt`
 * audio descriptions, both for `film.mp4`.
 */
export const mediaTrack = z.object({
  kind: z.enum(['captions', 'descriptions']),
  /** The language tag in the file's name (BCP 47), for example en or de-CH. */
  language: z.string(),
  /** A path of this system, below /media. */
  url: z.string().startsWith('/media/'),
})
export type MediaTrack = z.infer<typeof mediaTrack>

/**
 * The answer to `GET /media/<path of a video>?tracks`: the files in the order of their names. The
 * gateway gives it, because it alone reads the folder of videos.
 */
export const mediaTracks = z.object({ tracks: z.array(mediaTrack) })
export type MediaTracks = z.infer<typeof mediaTracks>

/**
 * The address from which a browser loads the file of a video: that of its session for own files.
 */
export function loadableUrlOf(video: { url?: string | null; media_url?: string | undefined }): string | undefined {
  return video.media_url ?? video.url ?? undefined
}

/** The address of the list of tracks beside an own video; undefined for videos elsewhere. */
export function tracksUrlOf(videoUrl: string): string | undefined {
  return ownVideoUrl(videoUrl, 'tracks')
}

/** The address of the picture of an own video; undefined for videos elsewhere. */
export function posterUrlOf(videoUrl: string): string | undefined {
  return ownVideoUrl(videoUrl, 'poster')
}

function ownVideoUrl(videoUrl: string, query: string): string | undefined {
  const path = /^\/media\/[^?#]+/.exec(videoUrl)?.[0]
  return path && `${path}?${query}`
}

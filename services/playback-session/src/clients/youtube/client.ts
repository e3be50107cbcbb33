import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@watchline/contracts/limits'
import type { Video } from '@watchline/contracts/playlists'
import type { Clock } from '@watchline/kit/core/clock'
import { fail } from '@watchline/kit/core/errors'
import type { z } from 'zod'
import { cleanLine, cleanText } from '../../rules/youtube-text.ts'
import { videosOf, type YoutubeVideo } from '../../rules/youtube-videos.ts'
import { refuse, refuseUnknownPlaylist } from './refusals.ts'
import { playlistItemList, playlistList, videoList } from './shapes.ts'

/** A playlist as YouTube has it at a moment; at most limits.playlistMaxVideos videos. */
export interface YoutubePlaylist {
  id: string
  title: string
  description: string
  videos: Video[]
  /** Items that are private, deleted or have no length. */
  leftOut: number
  readAt: Date
}

export interface YoutubeClient {
  configured: boolean
  /** Reads a playlist with all its videos; fails with the contract's errors of video data. */
  read(playlistId: string): Promise<YoutubePlaylist>
  /** Whether a video can be played here, for all that YouTube says of it: there, not private, may be embedded. One unit of quota. */
  plays(videoId: string): Promise<boolean>
}

export interface VideoDataLimits {
  /** For one call, and for all calls of one reading. */
  callMs?: number
  totalMs?: number
  maxAnswerBytes?: number
  /** Between a call that failed and its only repetition. */
  retryPauseMs?: number
}

export interface YoutubeClientOptions extends VideoDataLimits {
  apiUrl: string
  apiKey: string | undefined
  clock: Clock
}

const pageSize = 50
/** One more than the largest playlist has: whoever still has more is too long, or pages for ever. */
const maxPages = Math.ceil(limits.playlistMaxVideos / pageSize) + 1

/** A failure that may pass at once: the network's, or a 5xx. */
class Passing extends Error {}

/** One of the two time limits is over, or a call beside this one has failed. */
class OutOfTime extends Error {}

/** Reads playlists by the YouTube Data API v3. Costs one unit of quota a call: one, and two for every 50 videos. */
export function createYoutubeClient({
  apiUrl,
  apiKey,
  clock,
  callMs = limits.videoDataCallMs,
  totalMs = limits.videoDataTotalMs,
  maxAnswerBytes = 4 * 1024 * 1024,
  retryPauseMs = 200,
}: YoutubeClientOptions): YoutubeClient {
  async function call<S extends z.ZodType>(
    name: 'playlists' | 'playlistItems' | 'videos',
    parameters: Record<string, string>,
    schema: S,
    signal: AbortSignal,
  ): Promise<z.infer<S>> {
    const once = async () => {
      const { status, body } = await get(`${apiUrl}/${name}?${new URLSearchParams({ ...parameters, key: apiKey! })}`, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(callMs)]),
        maxBytes: maxAnswerBytes,
      })
      if (status >= 500) throw new Passing(`YouTube answered ${status} to ${name}.list`)
      if (status !== 200) refuse(`${name}.list`, status, body, clock.now())
      const parsed = schema.safeParse(body)
      if (!parsed.success) failed(`YouTube's answer to ${name}.list has not the shape it should have`)
      return parsed.data
    }
    try {
      return await once().catch(async error => {
        if (!(error instanceof Passing)) throw error
        await pause(retryPauseMs)
        return once()
      })
    } catch (error) {
      if (error instanceof Passing) failed(error.message)
      if (!(error instanceof OutOfTime)) throw error
      fail('too_slow', {
        detail: 'YouTube took too long to answer. Nothing was created; please try again.',
        retryAfterS: 30,
        cause: new Error(`YouTube was too slow to answer ${name}.list`),
      })
    }
  }

  async function videoIds(playlistId: string, signal: AbortSignal): Promise<string[]> {
    const ids: string[] = []
    let pageToken: string | undefined
    for (let page = 0; page < maxPages; page++) {
      const answer = await call(
        'playlistItems',
        {
          part: 'contentDetails',
          fields: 'nextPageToken,items(contentDetails(videoId))',
          maxResults: String(pageSize),
          playlistId,
          ...(pageToken && { pageToken }),
        },
        playlistItemList,
        signal,
      )
      ids.push(...answer.items.slice(0, pageSize).map(item => item.contentDetails.videoId))
      pageToken = answer.nextPageToken
      if (!pageToken) return [...new Set(ids)]
    }
    return tooLong()
  }

  async function details(ids: readonly string[], signal: AbortSignal): Promise<YoutubeVideo[]> {
    const answer = await call(
      'videos',
      {
        part: 'snippet,contentDetails,status',
        fields:
          'items(id,snippet(title,liveBroadcastContent),contentDetails(duration,contentRating(ytRating)),status(uploadStatus,privacyStatus,embeddable))',
        id: ids.join(','),
        maxResults: String(pageSize),
      },
      videoList,
      signal,
    )
    return answer.items.map(({ id, snippet, contentDetails, status }) => ({
      id,
      title: snippet.title,
      liveBroadcast: snippet.liveBroadcastContent,
      duration: contentDetails.duration,
      ageRestricted: contentDetails.contentRating?.ytRating === 'ytAgeRestricted',
      ...status,
    }))
  }

  return {
    configured: apiKey !== undefined,
    plays: async videoId => {
      if (apiKey === undefined) fail('video_data_not_configured')
      const known = await details([videoId], AbortSignal.timeout(totalMs))
      const { videos } = videosOf([videoId], new Map(known.map(video => [video.id, video])))
      return videos.some(video => !video.unavailable)
    },
    read: async playlistId => {
      if (apiKey === undefined) fail('video_data_not_configured')
      const stop = new AbortController()
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(totalMs)])
      try {
        const about = await call(
          'playlists',
          { part: 'snippet', fields: 'items(snippet(title,description))', id: playlistId },
          playlistList,
          signal,
        )
        const { snippet } = about.items[0] ?? refuseUnknownPlaylist()
        const ids = await videoIds(playlistId, signal)
        const known = await Promise.all(batches(ids).map(batch => details(batch, signal)))
        const { videos, leftOut } = videosOf(ids, new Map(known.flat().map(video => [video.id, video])))
        if (videos.length > limits.playlistMaxVideos) tooLong()
        return {
          id: playlistId,
          title: cleanLine(snippet.title, limits.titleMaxLength) || 'Untitled playlist',
          description: cleanText(snippet.description, limits.descriptionMaxLength),
          videos,
          leftOut,
          readAt: new Date(clock.now()),
        }
      } finally {
        stop.abort()
      }
    },
  }
}

/** One answer, read as far as `maxBytes`. What goes wrong on the way never names the address, which holds the key. */
async function get(
  url: string,
  { signal, maxBytes }: { signal: AbortSignal; maxBytes: number },
): Promise<{ status: number; body: unknown }> {
  let status: number
  let text: string | undefined
  try {
    const response = await fetch(url, { signal, redirect: 'manual', headers: { accept: 'application/json' } })
    status = response.status
    text = await readUpTo(response, maxBytes)
  } catch (error) {
    if (signal.aborted) throw new OutOfTime()
    const { code, name } = Object((error as Error).cause ?? error) as { code?: string; name?: string }
    throw new Passing(`YouTube could not be reached: ${code ?? name ?? 'unknown'}`)
  }
  if (text === undefined) failed(`YouTube's answer is longer than ${maxBytes} bytes`)
  return { status, body: parseJson(text, status) }
}

async function readUpTo(response: Response, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop cancels what is still to come.
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseJson(text: string, status: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // An error's own words may be a page of HTML: its status says enough.
    return status === 200 ? failed("YouTube's answer is not JSON") : undefined
  }
}

function failed(why: string): never {
  fail('video_data_failed', { retryAfterS: 30, cause: new Error(why) })
}

function tooLong(): never {
  fail('invalid', { detail: `A playlist can hold at most ${limits.playlistMaxVideos} videos.` })
}

function batches(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / pageSize) }, (_, index) =>
    ids.slice(index * pageSize, (index + 1) * pageSize),
  )
}

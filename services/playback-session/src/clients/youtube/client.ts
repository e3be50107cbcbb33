import { limits } from '@watchline/contracts/limits'
import type { Video } from '@watchline/contracts/playlists'
import { fail } from '@watchline/kit/core/errors'
import type { SourceTexts } from '../../rules/source-texts.ts'
import { cleanLine, cleanText } from '../../rules/youtube-text.ts'
import { importVideos, type YoutubeVideo } from '../../rules/youtube-videos.ts'
import { type CallYoutube, createYoutubeCall, type YoutubeApiOptions } from './api-call.ts'
import { failForTooManyVideos, failForUnknownPlaylist } from './errors.ts'
import { playlistItemsResponse, playlistsResponse, videosResponse } from './responses.ts'

/** A playlist on YouTube at one moment; at most limits.playlistMaxVideos videos. */
export interface YoutubePlaylist {
  id: string
  title: string
  description: string
  videos: Video[]
  /** How many items cannot be imported: private, deleted or without a duration. */
  leftOut: number
  readAt: Date
}

export interface YoutubeClient {
  configured: boolean
  /** Reads a playlist with all its videos. Fails with the contract's errors of video data. */
  read(playlistId: string, personId: string): Promise<YoutubePlaylist>
  /** True if the video exists, is not private and may be embedded. Costs one unit of quota. */
  plays(videoId: string, personId: string): Promise<boolean>
  /**
   * The present details of videos, without those that are gone. One unit of quota for 50 videos.
   */
  readVideos(ids: readonly string[]): Promise<Video[]>
  /**
   * The present titles and descriptions of playlists by id, without those that are gone or private.
   * One unit of quota for 50 playlists.
   */
  readTexts(playlistIds: readonly string[]): Promise<Map<string, SourceTexts>>
}

/** The most videos or playlists of one call, which costs one unit of quota. */
export const pageSize = 50
/** One page more than the largest playlist needs; a playlist with more pages is too long. */
const maxPages = Math.ceil(limits.playlistMaxVideos / pageSize) + 1

/** Uses the YouTube Data API v3. Reading costs one unit of quota, plus two for every 50 videos. */
export function createYoutubeClient(
  options: YoutubeApiOptions & {
    /** Runs before each call, for a person or for the service itself; rejects beyond a limit. */
    countCall(personId: string | undefined): Promise<void>
  },
): YoutubeClient {
  const { apiKey, clock, totalMs = limits.videoDataTotalTimeoutMs } = options
  const callYoutube = createYoutubeCall(options)
  const callFor =
    (personId: string | undefined): CallYoutube =>
    async (...input) => {
      await options.countCall(personId)
      return callYoutube(...input)
    }

  async function readVideoIds(call: CallYoutube, playlistId: string, signal: AbortSignal): Promise<string[]> {
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
        playlistItemsResponse,
        signal,
      )
      ids.push(...answer.items.slice(0, pageSize).map(item => item.contentDetails.videoId))
      pageToken = answer.nextPageToken
      if (!pageToken) return [...new Set(ids)]
    }
    return failForTooManyVideos()
  }

  async function readVideos(call: CallYoutube, ids: readonly string[], signal: AbortSignal): Promise<YoutubeVideo[]> {
    const answer = await call(
      'videos',
      {
        part: 'snippet,contentDetails,status',
        fields:
          'items(id,snippet(title,liveBroadcastContent),contentDetails(duration,contentRating(ytRating)),status(uploadStatus,privacyStatus,embeddable,madeForKids))',
        id: ids.join(','),
        maxResults: String(pageSize),
      },
      videosResponse,
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
    plays: async (videoId, personId) => {
      if (apiKey === undefined) fail('video_data_not_configured')
      const details = await readVideos(callFor(personId), [videoId], AbortSignal.timeout(totalMs))
      const { videos } = importVideos([videoId], byId(details))
      return videos.some(video => !video.unavailable)
    },
    readVideos: async ids => {
      if (apiKey === undefined) fail('video_data_not_configured')
      const signal = AbortSignal.timeout(totalMs)
      const details = await Promise.all(toPages(ids).map(page => readVideos(callFor(undefined), page, signal)))
      return importVideos(ids, byId(details.flat())).videos
    },
    readTexts: async playlistIds => {
      if (apiKey === undefined) fail('video_data_not_configured')
      const signal = AbortSignal.timeout(totalMs)
      const call = callFor(undefined)
      const answers = await Promise.all(
        toPages(playlistIds).map(page => {
          const parameters = { part: 'snippet', fields: 'items(id,snippet(title,description))', id: page.join(',') }
          return call('playlists', { ...parameters, maxResults: String(pageSize) }, playlistsResponse, signal)
        }),
      )
      return new Map(answers.flatMap(({ items }) => items.map(({ id, snippet }) => [id, toTexts(snippet)])))
    },
    read: async (playlistId, personId) => {
      if (apiKey === undefined) fail('video_data_not_configured')
      const stop = new AbortController()
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(totalMs)])
      const call = callFor(personId)
      try {
        const { items } = await call(
          'playlists',
          { part: 'snippet', fields: 'items(snippet(title,description))', id: playlistId },
          playlistsResponse,
          signal,
        )
        const { snippet } = items[0] ?? failForUnknownPlaylist()
        const ids = await readVideoIds(call, playlistId, signal)
        const details = await Promise.all(toPages(ids).map(page => readVideos(call, page, signal)))
        const { videos, leftOut } = importVideos(ids, byId(details.flat()))
        if (videos.length > limits.playlistMaxVideos) failForTooManyVideos()
        return {
          id: playlistId,
          ...toTexts(snippet),
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

function toTexts({ title, description }: SourceTexts): SourceTexts {
  return {
    title: cleanLine(title, limits.titleMaxLength) || 'Untitled playlist',
    description: cleanText(description, limits.descriptionMaxLength),
  }
}

function byId(videos: readonly YoutubeVideo[]): Map<string, YoutubeVideo> {
  return new Map(videos.map(video => [video.id, video]))
}

function toPages(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / pageSize) }, (_, index) =>
    ids.slice(index * pageSize, (index + 1) * pageSize),
  )
}

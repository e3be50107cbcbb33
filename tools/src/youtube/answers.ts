import type { StandInPlaylist, StandInVideo } from './playlists.ts'

/** Status and JSON body, in the shapes of the YouTube Data API v3. */
export interface Answer {
  status: number
  body: unknown
}

/** Answers one of the three calls that Watchline makes. The caller has checked the key. */
export function answerCall(
  playlists: Map<string, StandInPlaylist>,
  call: string,
  query: Record<string, string>,
): Answer {
  if (!query.part) return missing('part')
  if (call === 'playlists') return query.id ? listPlaylists(playlists, query.id.split(',')) : missing('id')
  if (call === 'playlistItems') return query.playlistId ? listItems(playlists, query) : missing('playlistId')
  if (call === 'videos') return query.id ? listVideos(playlists, query.id.split(',')) : missing('id')
  return { status: 404, body: {} }
}

function listPlaylists(playlists: Map<string, StandInPlaylist>, ids: string[]): Answer {
  if (ids.length > 50) return refusal(400, 'invalidFilters', 'The request specifies an invalid filter parameter.')
  return list(
    'playlist',
    ids.flatMap(id => describePlaylist(playlists, id)),
  )
}

function describePlaylist(playlists: Map<string, StandInPlaylist>, id: string): unknown[] {
  const playlist = playlists.get(id)
  if (!playlist || playlist.private) return []
  return [
    {
      kind: 'youtube#playlist',
      etag: 'etag',
      id,
      snippet: {
        publishedAt: '2026-01-05T09:00:00Z',
        channelId: 'UCstandinstandinstandin0',
        title: playlist.title,
        description: playlist.description,
        thumbnails: {},
        channelTitle: 'Stand-in',
        localized: { title: playlist.title, description: playlist.description },
      },
      contentDetails: { itemCount: playlist.videos.length },
    },
  ]
}

function listItems(playlists: Map<string, StandInPlaylist>, query: Record<string, string>): Answer {
  const playlist = playlists.get(query.playlistId!)
  const size = Number(query.maxResults ?? 5)
  if (!(size >= 0 && size <= 50)) return refusal(400, 'invalidParameter', `Invalid value '${size}'.`)
  if (!playlist) return unknownPlaylist
  if (playlist.private)
    return refusal(403, 'playlistItemsNotAccessible', 'The request is not properly authorized to retrieve the items.')
  const from = query.pageToken ? Number(Buffer.from(query.pageToken, 'base64url').toString()) : 0
  if (Number.isNaN(from)) return refusal(400, 'invalidPageToken', 'The request specifies an invalid page token.')
  const to = from + size
  return list(
    'playlistItem',
    playlist.videos.slice(from, to).map((video, index) => ({
      kind: 'youtube#playlistItem',
      etag: 'etag',
      id: Buffer.from(`${query.playlistId}.${from + index}`).toString('base64url'),
      contentDetails: { videoId: video.id, ...(isVisible(video) && { videoPublishedAt: '2026-01-05T09:00:00Z' }) },
    })),
    {
      ...(to < playlist.videos.length && { nextPageToken: pageToken(to) }),
      pageInfo: { totalResults: playlist.videos.length, resultsPerPage: size },
    },
  )
}

function listVideos(playlists: Map<string, StandInPlaylist>, ids: string[]): Answer {
  if (ids.length > 50) return refusal(400, 'invalidFilters', 'The request specifies an invalid filter parameter.')
  const all = new Map([...playlists.values()].flatMap(playlist => playlist.videos.map(video => [video.id, video])))
  const found = ids.flatMap(id => all.get(id) ?? []).filter(isVisible)
  return list(
    'video',
    found.map(video => ({
      kind: 'youtube#video',
      etag: 'etag',
      id: video.id,
      snippet: {
        publishedAt: '2026-01-05T09:00:00Z',
        title: video.title,
        description: `About ${video.title}`,
        channelTitle: 'Stand-in',
        liveBroadcastContent: video.liveBroadcastContent ?? 'none',
      },
      contentDetails: {
        duration: video.duration,
        dimension: '2d',
        contentRating: video.ageRestricted ? { ytRating: 'ytAgeRestricted' } : {},
      },
      status: {
        uploadStatus: 'processed',
        privacyStatus: video.privacyStatus ?? 'public',
        embeddable: video.embeddable ?? true,
        madeForKids: video.madeForKids ?? false,
      },
    })),
  )
}

/** The real API shows only the id of a deleted or private video, and only in its playlist. */
function isVisible(video: StandInVideo): boolean {
  return !video.deleted && video.privacyStatus !== 'private'
}

function list(kind: string, items: unknown[], fields: object = {}): Answer {
  return { status: 200, body: { kind: `youtube#${kind}ListResponse`, etag: 'etag', items, ...fields } }
}

/** The token of the page that begins with the item at this index. */
export function pageToken(from: number): string {
  return Buffer.from(String(from)).toString('base64url')
}

/** An error answer. `fields` are added to its `error` object. */
export function refusal(
  code: number,
  reason: string,
  message: string,
  fields: object = {},
  domain = 'youtube.api',
): Answer {
  return { status: code, body: { error: { code, message, errors: [{ message, domain, reason }], ...fields } } }
}

function missing(parameter: string): Answer {
  return refusal(400, 'missingRequiredParameter', `No filter selected. Expected one of: ${parameter}`)
}

export function errorInfo(status: string, reason: string) {
  return {
    status,
    details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com' }],
  }
}

export const unknownPlaylist = refusal(
  404,
  'playlistNotFound',
  "The playlist identified with the request's playlistId parameter cannot be found.",
  {},
  'youtube.playlistItem',
)

export const wrongKey = refusal(
  400,
  'badRequest',
  'API key not valid. Please pass a valid API key.',
  errorInfo('INVALID_ARGUMENT', 'API_KEY_INVALID'),
  'global',
)

export const missingKey = refusal(403, 'forbidden', 'The request is missing a valid API key.', {}, 'global')

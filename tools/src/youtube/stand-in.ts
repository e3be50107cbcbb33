// A stand-in for the YouTube Data API v3: the three calls Watchline makes, in the shapes of the real one, for tests and for trying
// out without a key: `node tools/src/youtube/stand-in.ts --port 9099`, which prints the settings to start Watchline with.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { partialResponse } from './partial-response.ts'
import { playlistIds, type StandInPlaylist, type StandInVideo, standInPlaylists } from './playlists.ts'

type Call = 'playlists' | 'playlistItems' | 'videos'

const faults = [
  /** Answers after ten seconds. */
  'slow',
  /** Begins an answer and never ends it. */
  'stalled',
  /** An answer without an end. */
  'huge',
  'malformed',
  'html',
  /** JSON of another shape. */
  'shapeless',
  'redirect',
  'hang-up',
  'internal',
  'unavailable',
  'quota',
  'daily',
  'rate',
  'wrong-key',
  'disabled',
  'gone',
  /** One page after the other, for ever. */
  'endless',
] as const
export type Fault = (typeof faults)[number]

export interface YouTubeStandIn {
  /** For YOUTUBE_API_URL and YOUTUBE_API_KEY. */
  url: string
  key: string
  /** What there is, to be changed between two readings. */
  playlists: Map<string, StandInPlaylist>
  /** The address of a playlist as a browser shows it; of the short one. */
  urlOf(playlistId: string): string
  playlistUrl: string
  /** Every call so far, without the key. */
  calls: { call: string; query: Record<string, string> }[]
  /** From now on, or `after` some calls that go well; so many `times`, then well again; `on` one of the calls only. Nothing: well again. */
  misbehave(fault?: Fault, options?: { after?: number; times?: number; on?: Call }): void
  stop(): Promise<void>
}

interface Answer {
  status: number
  body: unknown
}

export async function startYouTubeStandIn({ port = 0, key = 'stand-in-key' } = {}): Promise<YouTubeStandIn> {
  const playlists = standInPlaylists()
  const calls: YouTubeStandIn['calls'] = []
  let trouble: { fault: Fault; after: number; left: number; on: Call | undefined } | undefined

  const server = createServer(async (req, res) => {
    const url = new URL(req.url!, 'http://youtube')
    const query = Object.fromEntries(url.searchParams)
    const call = /^\/youtube\/v3\/(\w+)$/.exec(url.pathname)?.[1] ?? url.pathname
    const { key: given, ...told } = query
    calls.push({ call, query: told })
    const isMeant = trouble && trouble.left > 0 && (trouble.on ?? call) === call
    if (trouble && isMeant && trouble.after > 0) trouble.after -= 1
    else if (trouble && isMeant) {
      trouble.left -= 1
      if (await misbehaves(trouble.fault, res)) return
    }
    const answered = given === key ? answer(playlists, call, told) : given ? wrongKey : missingKey
    if (answered.status !== 200) return send(res, answered.status, answered.body)
    try {
      send(res, 200, shaped(answered.body, told.fields, trouble))
    } catch (error) {
      send(res, 400, refusal(400, 'invalidParameter', `Invalid field selection: ${(error as Error).message}`).body)
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const urlOf = (playlistId: string) => `https://www.youtube.com/playlist?list=${playlistId}`
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/youtube/v3`,
    key,
    playlists,
    urlOf,
    playlistUrl: urlOf(playlistIds.short),
    calls,
    misbehave: (fault, { after = 0, times = Number.POSITIVE_INFINITY, on } = {}) => {
      trouble = fault && { fault, after, left: times, on }
    },
    stop: async () => {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function shaped(body: unknown, fields: string | undefined, trouble: { fault: Fault } | undefined): unknown {
  const whole = trouble?.fault === 'endless' ? { ...Object(body), nextPageToken: pageToken(0) } : body
  return fields ? partialResponse(whole, fields) : whole
}

function answer(playlists: Map<string, StandInPlaylist>, call: string, query: Record<string, string>): Answer {
  if (!query.part) return missing('part')
  if (call === 'playlists') return query.id ? ok('playlist', aboutPlaylist(playlists, query.id)) : missing('id')
  if (call === 'playlistItems') return query.playlistId ? itemsOf(playlists, query) : missing('playlistId')
  if (call === 'videos') return query.id ? videosOf(playlists, query.id.split(',')) : missing('id')
  return { status: 404, body: {} }
}

function aboutPlaylist(playlists: Map<string, StandInPlaylist>, id: string): unknown[] {
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

function itemsOf(playlists: Map<string, StandInPlaylist>, query: Record<string, string>): Answer {
  const playlist = playlists.get(query.playlistId!)
  const size = Number(query.maxResults ?? 5)
  if (!(size >= 0 && size <= 50)) return refusal(400, 'invalidParameter', `Invalid value '${size}'.`)
  if (!playlist) return gone
  if (playlist.private)
    return refusal(403, 'playlistItemsNotAccessible', 'The request is not properly authorized to retrieve the items.')
  const from = query.pageToken ? Number(Buffer.from(query.pageToken, 'base64url').toString()) : 0
  if (Number.isNaN(from)) return refusal(400, 'invalidPageToken', 'The request specifies an invalid page token.')
  const to = from + size
  return ok(
    'playlistItem',
    playlist.videos.slice(from, to).map((video, index) => ({
      kind: 'youtube#playlistItem',
      etag: 'etag',
      id: Buffer.from(`${query.playlistId}.${from + index}`).toString('base64url'),
      contentDetails: { videoId: video.id, ...(isThere(video) && { videoPublishedAt: '2026-01-05T09:00:00Z' }) },
    })),
    {
      ...(to < playlist.videos.length && { nextPageToken: pageToken(to) }),
      pageInfo: { totalResults: playlist.videos.length, resultsPerPage: size },
    },
  )
}

function videosOf(playlists: Map<string, StandInPlaylist>, ids: string[]): Answer {
  if (ids.length > 50) return refusal(400, 'invalidFilters', 'The request specifies an invalid filter parameter.')
  const all = new Map([...playlists.values()].flatMap(each => each.videos.map(video => [video.id, video])))
  const found = ids.flatMap(id => all.get(id) ?? []).filter(isThere)
  return ok(
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
      },
    })),
  )
}

/** Of the others the real API tells nothing but their ids, and those in playlists only. */
function isThere(video: StandInVideo): boolean {
  return !video.deleted && video.privacyStatus !== 'private'
}

function ok(kind: string, items: unknown[], more: object = {}): Answer {
  return { status: 200, body: { kind: `youtube#${kind}ListResponse`, etag: 'etag', items, ...more } }
}

function pageToken(from: number): string {
  return Buffer.from(String(from)).toString('base64url')
}

function refusal(code: number, reason: string, message: string, more: object = {}, domain = 'youtube.api'): Answer {
  return { status: code, body: { error: { code, message, errors: [{ message, domain, reason }], ...more } } }
}

function missing(parameter: string): Answer {
  return refusal(400, 'missingRequiredParameter', `No filter selected. Expected one of: ${parameter}`)
}

function errorInfo(status: string, reason: string) {
  return {
    status,
    details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com' }],
  }
}

const gone = refusal(
  404,
  'playlistNotFound',
  "The playlist identified with the request's playlistId parameter cannot be found.",
  {},
  'youtube.playlistItem',
)
const wrongKey = refusal(
  400,
  'badRequest',
  'API key not valid. Please pass a valid API key.',
  errorInfo('INVALID_ARGUMENT', 'API_KEY_INVALID'),
  'global',
)
const missingKey = refusal(403, 'forbidden', 'The request is missing a valid API key.', {}, 'global')

const refusals: Partial<Record<Fault, Answer>> = {
  internal: refusal(500, 'backendError', 'Internal error encountered.', {}, 'global'),
  unavailable: refusal(503, 'backendError', 'The service is currently unavailable.', {}, 'global'),
  quota: refusal(
    403,
    'quotaExceeded',
    'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.',
    {},
    'youtube.quota',
  ),
  daily: refusal(403, 'dailyLimitExceeded', 'Daily Limit Exceeded.', {}, 'usageLimits'),
  rate: refusal(
    429,
    'rateLimitExceeded',
    'Rate Limit Exceeded',
    errorInfo('RESOURCE_EXHAUSTED', 'RATE_LIMIT_EXCEEDED'),
  ),
  'wrong-key': wrongKey,
  disabled: refusal(
    403,
    'accessNotConfigured',
    'YouTube Data API v3 has not been used in project 1 before or it is disabled.',
    errorInfo('PERMISSION_DENIED', 'SERVICE_DISABLED'),
    'usageLimits',
  ),
  gone,
}

/** Whether the answer is given, or will never be. */
async function misbehaves(fault: Fault, res: ServerResponse): Promise<boolean> {
  const refused = refusals[fault]
  if (refused) send(res, refused.status, refused.body)
  else if (fault === 'malformed') send(res, 200, '{"kind":"youtube#playlistListResponse","items":[{')
  else if (fault === 'html') res.setHeader('content-type', 'text/html').end('<!doctype html><title>Sorry</title>')
  else if (fault === 'shapeless') send(res, 200, { items: [{ id: 7, snippet: 'none' }, null] })
  else if (fault === 'redirect') res.writeHead(302, { location: 'http://127.0.0.1:9/elsewhere' }).end()
  else if (fault === 'hang-up') res.destroy()
  else if (fault === 'stalled') res.writeHead(200, { 'content-type': 'application/json' }).write('{"items":[')
  else if (fault === 'huge') await babble(res)
  else {
    if (fault === 'slow') await pause(10_000, undefined, { ref: false })
    return false
  }
  return true
}

async function babble(res: ServerResponse): Promise<void> {
  res.writeHead(200, { 'content-type': 'application/json' })
  // Until whoever listens has had enough.
  await pipeline(Readable.from(moreAndMore()), res).catch(() => {})
}

function* moreAndMore() {
  yield '{"items":["'
  for (;;) yield 'more and more '.repeat(5_000)
}

function send(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' })
  res.end(typeof body === 'string' ? body : JSON.stringify(body))
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '9099' }, fault: { type: 'string' } } })
  const fault = faults.find(each => each === values.fault)
  if (values.fault && !fault) {
    console.error(`--fault: one of ${faults.join(', ')}`)
    process.exit(2)
  }
  const standIn = await startYouTubeStandIn({ port: Number(values.port) })
  standIn.misbehave(fault)
  console.log(`YOUTUBE_API_URL=${standIn.url} YOUTUBE_API_KEY=${standIn.key}`)
  for (const [id, { title, videos }] of standIn.playlists)
    console.log(`  ${standIn.urlOf(id)}  ${title}, ${videos.length} videos`)
}

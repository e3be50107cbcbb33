// `node tools/src/youtube/stand-in.ts --port 9099 [--fault <fault>]`
// A stand-in for the YouTube Data API v3, with the three calls that Watchline makes. It serves
// tests, and lets people try Watchline without a key. The command prints the settings to start
// Watchline with.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { answerCall, missingKey, pageToken, refusal, wrongKey } from './answers.ts'
import { applyFault, type Fault, faults, send } from './faults.ts'
import { partialResponse } from './partial-response.ts'
import { playlistIds, type StandInPlaylist, standInPlaylists } from './playlists.ts'

type Call = 'playlists' | 'playlistItems' | 'videos'

interface FaultOptions {
  /** The fault begins after this many successful calls. Default 0. */
  after?: number
  /** The fault ends after this many calls. Default never. */
  times?: number
  /** Limits the fault to one kind of call. */
  on?: Call
}

export interface YouTubeStandIn {
  /** The value of YOUTUBE_API_URL. */
  url: string
  /** The value of YOUTUBE_API_KEY. */
  key: string
  /** The content, by id. Tests may change it between calls. */
  playlists: Map<string, StandInPlaylist>
  /** The address of a playlist as a browser shows it. */
  urlOf(playlistId: string): string
  /** The address of the short playlist. */
  playlistUrl: string
  /** Every call so far. The key is a header. */
  calls: { call: string; query: Record<string, string> }[]
  /** Injects a fault from now on. Without an argument it ends the current fault. */
  injectFault(fault?: Fault, options?: FaultOptions): void
  stop(): Promise<void>
}

export async function startYouTubeStandIn({ port = 0, key = 'stand-in-key' } = {}): Promise<YouTubeStandIn> {
  const playlists = standInPlaylists()
  const calls: YouTubeStandIn['calls'] = []
  let injected: { fault: Fault; after: number; remaining: number; on: Call | undefined } | undefined

  const server = createServer(async (req, res) => {
    const url = new URL(req.url!, 'http://youtube')
    const call = /^\/youtube\/v3\/(\w+)$/.exec(url.pathname)?.[1] ?? url.pathname
    const query = Object.fromEntries(url.searchParams)
    const requestKey = req.headers['x-goog-api-key']
    calls.push({ call, query })
    const isAffected = injected && injected.remaining > 0 && (injected.on ?? call) === call
    if (injected && isAffected && injected.after > 0) injected.after -= 1
    else if (injected && isAffected) {
      injected.remaining -= 1
      if (await applyFault(injected.fault, res)) return
    }
    const answer = requestKey === key ? answerCall(playlists, call, query) : requestKey ? wrongKey : missingKey
    if (answer.status !== 200) return send(res, answer.status, answer.body)
    try {
      send(res, 200, selectFields(answer.body, query.fields, injected))
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
    injectFault: (fault, { after = 0, times = Number.POSITIVE_INFINITY, on } = {}) => {
      injected = fault && { fault, after, remaining: times, on }
    },
    stop: async () => {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function selectFields(body: unknown, fields: string | undefined, injected: { fault: Fault } | undefined): unknown {
  const whole = injected?.fault === 'endless' ? { ...Object(body), nextPageToken: pageToken(0) } : body
  return fields ? partialResponse(whole, fields) : whole
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '9099' }, fault: { type: 'string' } } })
  const fault = faults.find(name => name === values.fault)
  if (values.fault && !fault) {
    console.error(`--fault: one of ${faults.join(', ')}`)
    process.exit(2)
  }
  const standIn = await startYouTubeStandIn({ port: Number(values.port) })
  standIn.injectFault(fault)
  console.log(`YOUTUBE_API_URL=${standIn.url} YOUTUBE_API_KEY=${standIn.key}`)
  for (const [id, { title, videos }] of standIn.playlists)
    console.log(`  ${standIn.urlOf(id)}  ${title}, ${videos.length} videos`)
}

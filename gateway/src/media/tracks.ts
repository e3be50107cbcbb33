import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { limits } from '@watchline/contracts/limits'
import type { MediaTrack, MediaTracks } from '@watchline/contracts/media'
import type { RequestHandler } from 'express'
import type { Exchange } from '../requests/exchange.ts'
import { reply } from '../requests/replies.ts'
import { mediaBaseOf } from './media-access.ts'

/** `en`, `de-CH`, `zh-Hant-TW`; then `.descriptions` for audio descriptions. */
const trackName = /^([a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3})(\.descriptions)?$/i

/**
 * Answers `GET /media/<video>?tracks` with the WebVTT files beside the video. Other requests, and
 * those for a video that is not there, go to the next handler.
 */
export function listMediaTracks(mediaRoot: string): RequestHandler {
  const root = resolve(mediaRoot)
  return async (req, res, next) => {
    if (!('tracks' in req.query)) return next()
    const segments = readSegments(req.path)
    const file = segments && join(root, ...segments)
    if (!segments || !file || !(await isSmallerFile(file, Number.POSITIVE_INFINITY))) return next()
    const folder = [mediaBaseOf(res.locals), ...segments.slice(0, -1).map(encodeURIComponent)].join('/')
    const answer: MediaTracks = { tracks: await findTracks(file, folder) }
    reply(res.locals.exchange as Exchange, 200, JSON.stringify(answer), {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-cache',
    })
  }
}

/** The names in a path; undefined if one of them could lead out of the folder or is hidden. */
function readSegments(path: string): string[] | undefined {
  try {
    const segments = path.slice(1).split('/').map(decodeURIComponent)
    return segments.every(name => /^[^./\\\0][^/\\\0]*$/.test(name)) ? segments : undefined
  } catch {
    return undefined
  }
}

async function findTracks(video: string, folder: string): Promise<MediaTrack[]> {
  const prefix = `${basename(video, extname(video))}.`
  const names = (await readdir(dirname(video))).filter(name => name.startsWith(prefix) && name.endsWith('.vtt')).sort()
  const tracks: MediaTrack[] = []
  for (const name of names) {
    const match = trackName.exec(name.slice(prefix.length, -'.vtt'.length))
    if (!match || !(await isSmallerFile(join(dirname(video), name), limits.trackMaxBytes))) continue
    const kind = match[2] ? 'descriptions' : 'captions'
    tracks.push({ kind, language: match[1]!, url: `${folder}/${encodeURIComponent(name)}` })
    if (tracks.length === limits.trackMaxCount) break
  }
  return tracks
}

async function isSmallerFile(path: string, maxBytes: number): Promise<boolean> {
  try {
    const file = await stat(path)
    return file.isFile() && file.size <= maxBytes
  } catch {
    return false
  }
}

/** The path of an own file below /media, decoded: `part/film.mp4`. */
export type MediaPath = string

const prefix = '/media/'
/** Neither empty nor hidden, and none that leads out of the folder. */
const safeSegment = /^[^./\\\0][^/\\\0]*$/
/** `en`, `de-CH`, `zh-Hant-TW`; then `.descriptions` for audio descriptions. */
const trackSuffix = /^([a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3})(\.descriptions)?\.vtt$/i
const extension = /^[^./]+$/
const isHlsPath = (path: string) => /\.m3u8$/i.test(path)
/** The files of an HLS video: its playlists, parts, keys and captions, and its picture. */
const hlsFile = /\.(m3u8|ts|m4s|m4v|m4a|mp4|aac|key|vtt|webvtt|jpg|png|webp)$/i

/**
 * The path of an own file in a playlist: `/media/film.mp4`, or the same below one of the
 * `ownOrigins`. Undefined for files elsewhere, and for paths that could lead out of the folder.
 */
export function mediaPathOf(url: string, ownOrigins: readonly string[] = []): MediaPath | undefined {
  const path = withoutOrigin(url, ownOrigins)
  if (!path?.startsWith(prefix)) return undefined
  return decodeMediaPath(path.slice(prefix.length).split(/[?#]/, 1)[0]!)
}

function withoutOrigin(url: string, ownOrigins: readonly string[]): string | undefined {
  if (url.startsWith('/')) return url
  const origin = ownOrigins.find(candidate => url.startsWith(`${candidate}/`))
  return origin && url.slice(origin.length)
}

export function decodeMediaPath(encoded: string): MediaPath | undefined {
  try {
    const segments = encoded.split('/').map(decodeURIComponent)
    return segments.every(segment => safeSegment.test(segment)) ? segments.join('/') : undefined
  } catch {
    return undefined
  }
}

/**
 * The beginning that all files of a video share. `film.mp4` shares `film.` with its picture and its
 * captions. An HLS video in a folder shares the folder, `talk/`; one that lies directly in the
 * folder of all videos shares its name, `talk`.
 */
export function mediaScopeOf(path: MediaPath): string {
  const folderEnd = path.lastIndexOf('/') + 1
  const dot = path.lastIndexOf('.')
  const stem = dot > folderEnd ? path.slice(0, dot) : path
  if (!isHlsPath(path)) return `${stem}.`
  return folderEnd > 0 ? path.slice(0, folderEnd) : stem
}

/** Whether a path is one of the files of the video with this scope. */
export function isInMediaScope(path: MediaPath, scope: string): boolean {
  if (`${path}.` === scope) return true
  if (scope === '' || !path.startsWith(scope)) return false
  const suffix = path.slice(scope.length)
  if (scope.endsWith('.')) return extension.test(suffix) || trackSuffix.test(suffix)
  return scope.endsWith('/') || hlsFile.test(path)
}

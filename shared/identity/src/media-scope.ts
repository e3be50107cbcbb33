/** The path of an own file below /media, decoded: `part/film.mp4`. */
export type MediaPath = string

const prefix = '/media/'
/** Neither empty nor hidden, and none that leads out of the folder. */
const safeSegment = /^[^./\\\0][^/\\\0]*$/
/** `en`, `de-CH`, `zh-Hant-TW`; then `.descriptions` for audio descriptions. */
const trackSuffix = /^([a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3})(\.descriptions)?\.vtt$/i
const extension = /^[^./]+$/
const isHlsPath = (path: string) => /\.m3u8$/i.test(path)
/** A part of a name that tells the quality or kind of a file. A separator stands before it. */
const quality =
  '(\\d{3,4}(p\\d*)?|\\d+k|[av]\\d+|hd|sd|low|mid|medium|high|vtt|subs?|(init|audio|video|stream|seg|segment|chunk|part|frag|poster|thumb)\\d*)'
/**
 * How the names of an HLS video continue after that of its playlist, as ffmpeg, Shaka Packager and
 * Bento4 write them. Other continuations are other videos: `talk-2.mp4` is not part of `talk.m3u8`.
 */
const hlsSuffixes = [
  // `talk.ts`: one file of each kind.
  /^\.(m3u8|ts|m4s|m4v|m4a|mp4|aac|key|vtt|webvtt|jpg|png|webp)$/,
  // `talk0.ts`, `talk_720p_001.m4s`, `talk_audio_en_1.aac`: numbered parts.
  new RegExp(`^\\d*([-_.](\\d+|[a-z]{2}|${quality}))*\\.(ts|m4s|aac|vtt|webvtt)$`),
  // `talk_0.m3u8`, `talk_720p.m3u8`, `talk_en.m3u8`: playlists and keys of its qualities.
  new RegExp(`^([-_.](\\d{1,2}|[a-z]{2}|${quality}))+\\.(m3u8|key)$`),
  // `talk_init.mp4`, `talk_init_0.mp4`, `talk_720p.mp4`, `talk_poster.jpg`: one file.
  new RegExp(`^([-_.]${quality})+([-_.]\\d+)?\\.(mp4|m4v|m4a|jpg|png|webp)$`),
]

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
 * captions. An HLS video in a folder shares the folder, `talk/`. A video directly in the folder of
 * all videos shares its name, `talk`, with the files that `hlsSuffixes` names.
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
  if (scope.endsWith('/')) return true
  return (
    hlsSuffixes.some(pattern => pattern.test(suffix.toLowerCase())) ||
    (suffix.startsWith('.') && trackSuffix.test(suffix.slice(1)))
  )
}

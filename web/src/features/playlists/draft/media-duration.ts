import { isHls } from '../../../ui/progress/is-hls.ts'
import { isFileMissing } from './missing-file.ts'

/**
 * Seconds; `missing` if there is certainly no file; `blocked` if pages may not load videos from its
 * host; undefined if the length cannot be read.
 */
export type ReadDuration = (url: string, signal: AbortSignal) => Promise<number | 'missing' | 'blocked' | undefined>

const timeoutMs = 15_000

/** Reads the length of a file from the media's own metadata. */
export const readMediaDuration: ReadDuration = async (url, signal) => {
  const policy = watchPolicy(url)
  const seconds = await (isHls(url) ? readHlsDuration(url, signal) : readElementDuration(url, signal))
  policy.stop()
  if (seconds !== undefined) return seconds
  if (policy.hasBlocked()) return 'blocked'
  return (await isFileMissing(url, signal)) ? 'missing' : undefined
}

/** Records whether the content security policy blocks the file's host for this page. */
function watchPolicy(url: string) {
  let hasBlocked = false
  const { origin } = new URL(url, location.href)
  function recordViolation({ blockedURI }: SecurityPolicyViolationEvent) {
    hasBlocked ||= blockedURI === origin || blockedURI.startsWith(`${origin}/`)
  }
  document.addEventListener('securitypolicyviolation', recordViolation)
  return {
    hasBlocked: () => hasBlocked,
    stop: () => document.removeEventListener('securitypolicyviolation', recordViolation),
  }
}

function readElementDuration(url: string, signal: AbortSignal): Promise<number | undefined> {
  return new Promise(resolve => {
    const media = document.createElement('video')
    const finish = (seconds: number | undefined) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
      media.onloadedmetadata = media.ondurationchange = media.onerror = null
      media.removeAttribute('src')
      media.load()
      resolve(seconds)
    }
    const cancel = () => finish(undefined)
    const timer = setTimeout(cancel, timeoutMs)
    signal.addEventListener('abort', cancel, { once: true })
    media.preload = 'metadata'
    media.muted = true
    // A browser's recording reports Infinity until playback has reached its end.
    media.onloadedmetadata = () => {
      if (Number.isFinite(media.duration) && media.duration > 0) finish(media.duration)
      else media.currentTime = Number.MAX_SAFE_INTEGER
    }
    media.ondurationchange = () => {
      if (media.readyState > 0 && Number.isFinite(media.duration) && media.duration > 0) finish(media.duration)
    }
    media.onerror = cancel
    media.src = url
    if (signal.aborted) cancel()
  })
}

async function readHlsDuration(url: string, signal: AbortSignal): Promise<number | undefined> {
  try {
    const manifest = await readText(url, signal)
    const variant = firstVariant(manifest)
    return hlsDuration(
      variant === undefined ? manifest : await readText(new URL(variant, new URL(url, location.href)), signal),
    )
  } catch {
    return undefined
  }
}

async function readText(url: string | URL, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) })
  if (!response.ok) throw new Error(`The manifest answered ${response.status}`)
  return response.text()
}

/**
 * The address of the first variant in a master manifest; undefined for a manifest that lists
 * segments.
 */
export function firstVariant(manifest: string): string | undefined {
  const lines = manifest.split(/\r?\n/)
  const index = lines.findIndex(line => line.startsWith('#EXT-X-STREAM-INF'))
  return index < 0
    ? undefined
    : lines
        .slice(index + 1)
        .find(line => line.trim() !== '' && !line.startsWith('#'))
        ?.trim()
}

/** The total length of the segments of a complete (not live) HLS manifest, in seconds. */
export function hlsDuration(manifest: string): number | undefined {
  if (!/^#EXT-X-ENDLIST/m.test(manifest)) return undefined
  const lengths = [...manifest.matchAll(/^#EXTINF:([\d.]+)/gm)].map(match => Number(match[1]))
  const sum = lengths.reduce((total, length) => total + length, 0)
  return sum > 0 && Number.isFinite(sum) ? sum : undefined
}

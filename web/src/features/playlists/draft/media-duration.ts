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
  // Pages load the parts of an HLS stream themselves; an element loads any other file.
  const policy = watchPolicy(isHls(url) ? 'connect-src' : 'media-src')
  const addresses = [url]
  const seconds = await (isHls(url) ? readHlsDuration(url, signal, addresses) : readElementDuration(url, signal))
  policy.stop()
  if (seconds !== undefined) return seconds
  if (addresses.some(policy.hasBlocked)) return 'blocked'
  return (await isFileMissing(url, signal)) ? 'missing' : undefined
}

/**
 * Records the addresses that a directive of the content security policy keeps out. Reads of other
 * files of the same host run at the same time, so the whole address counts.
 */
function watchPolicy(directive: 'connect-src' | 'media-src') {
  const blockedAddresses = new Set<string>()
  function recordViolation({ blockedURI, effectiveDirective }: SecurityPolicyViolationEvent) {
    if (effectiveDirective === directive) blockedAddresses.add(blockedURI)
  }
  document.addEventListener('securitypolicyviolation', recordViolation)
  return {
    hasBlocked: (url: string) => blockedAddresses.has(reportedAddress(url)),
    stop: () => document.removeEventListener('securitypolicyviolation', recordViolation),
  }
}

/** The address of a file as a violation names it. */
function reportedAddress(url: string): string {
  const address = new URL(url, location.href)
  address.hash = address.username = address.password = ''
  return address.href
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

/** Adds the address of the variant that it reads to `addresses`. */
async function readHlsDuration(url: string, signal: AbortSignal, addresses: string[]): Promise<number | undefined> {
  try {
    const manifest = await readText(url, signal)
    const variant = firstVariant(manifest)
    if (variant === undefined) return hlsDuration(manifest)
    const variantUrl = new URL(variant, new URL(url, location.href)).href
    addresses.push(variantUrl)
    return hlsDuration(await readText(variantUrl, signal))
  } catch {
    return undefined
  }
}

async function readText(url: string, signal: AbortSignal): Promise<string> {
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

import type { ErrorCode } from '@watchline/contracts/errors'
import { limits } from '@watchline/contracts/limits'
import { createCalendar } from '@watchline/kit/core/calendar'
import { fail } from '@watchline/kit/core/errors'
import { errorResponse } from './responses.ts'

/** YouTube renews the quota at midnight Pacific time. */
const quotaCalendar = createCalendar('America/Los_Angeles')
const retryAfterS = 30

const unknownPlaylistDetail =
  'There is no such playlist on YouTube, or it is private. Only public and unlisted playlists can be read.'
const rateLimitDetail = 'YouTube takes no more questions just now. Nothing was created; please try again in a minute.'

/**
 * Maps an error response of YouTube to an error of the contract. `call` names the method, never the
 * URL with the key.
 */
export function failForResponse(call: string, status: number, body: unknown, now: number): never {
  const parsed = errorResponse.safeParse(body)
  const { message = '', errors = [], details = [] } = parsed.success ? parsed.data.error : {}
  const reasons = [...errors, ...details].map(({ reason }) => reason ?? '')
  const hasReason = (pattern: RegExp) => reasons.some(reason => pattern.test(reason))
  const cause = new Error(`YouTube answered ${status} to ${call}: ${reasons.filter(Boolean).join(', ') || 'no reason'}`)
  const failWith = (code: ErrorCode, afterS?: number, detail?: string) =>
    fail(code, { cause, ...(afterS !== undefined && { retryAfterS: afterS }), ...(detail && { detail }) })

  if (hasReason(/^(quotaExceeded|dailyLimitExceeded)$/) || (status === 429 && /per day/i.test(message)))
    return failWith('video_data_quota', (quotaCalendar.dayOf(now).end - now) / 1_000)
  if (status === 429 || hasReason(/^(rateLimitExceeded|userRateLimitExceeded|RATE_LIMIT_EXCEEDED)$/))
    return failWith('video_data_quota', 60, rateLimitDetail)
  if (hasReason(/^(playlistNotFound|playlistItemsNotAccessible|playlistForbidden)$/) || status === 404)
    return failWith('not_found', undefined, unknownPlaylistDetail)
  const isKeyRejected = hasReason(/^(keyInvalid|keyExpired|API_KEY_\w+)$/) || /API key/i.test(message)
  if (status === 401 || status === 403 || isKeyRejected) return failWith('video_data_refused')
  return failWith('video_data_failed', retryAfterS)
}

export function failForUnknownPlaylist(): never {
  fail('not_found', { detail: unknownPlaylistDetail })
}

export function failForTooManyVideos(): never {
  fail('invalid', { detail: `A playlist can hold at most ${limits.playlistMaxVideos} videos.` })
}

/** `reason` goes to the log only. */
export function failForVideoData(reason: string): never {
  fail('video_data_failed', { retryAfterS, cause: new Error(reason) })
}

export function failForTimeout(call: string): never {
  fail('too_slow', {
    detail: 'YouTube took too long to answer. Nothing was created; please try again.',
    retryAfterS,
    cause: new Error(`YouTube was too slow to answer ${call}`),
  })
}

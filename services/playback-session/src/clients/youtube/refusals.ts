import type { ErrorCode } from '@watchline/contracts/errors'
import { createCalendar } from '@watchline/kit/core/calendar'
import { fail } from '@watchline/kit/core/errors'
import { apiError } from './shapes.ts'

/** YouTube's day, at whose end it gives new quota. */
const quotaDay = createCalendar('America/Los_Angeles')

const unknownPlaylist =
  'There is no such playlist on YouTube, or it is private. Only public and unlisted playlists can be read.'
const shortly = 'YouTube takes no more questions just now. Nothing was created; please try again in a minute.'

/** Throws what an answer of YouTube that is no success means here. `call` names it for the log, where the key never goes. */
export function refuse(call: string, status: number, body: unknown, now: number): never {
  const parsed = apiError.safeParse(body)
  const { message = '', errors = [], details = [] } = parsed.success ? parsed.data.error : {}
  const reasons = [...errors, ...details].map(each => each.reason ?? '')
  const is = (pattern: RegExp) => reasons.some(reason => pattern.test(reason))
  const cause = new Error(`YouTube answered ${status} to ${call}: ${reasons.filter(Boolean).join(', ') || 'no reason'}`)
  const say = (code: ErrorCode, retryAfterS?: number, detail?: string) =>
    fail(code, { cause, ...(retryAfterS !== undefined && { retryAfterS }), ...(detail && { detail }) })

  if (is(/^(quotaExceeded|dailyLimitExceeded)$/) || (status === 429 && /per day/i.test(message)))
    return say('video_data_quota', (quotaDay.dayOf(now).end - now) / 1_000)
  if (status === 429 || is(/^(rateLimitExceeded|userRateLimitExceeded|RATE_LIMIT_EXCEEDED)$/))
    return say('video_data_quota', 60, shortly)
  if (is(/^(playlistNotFound|playlistItemsNotAccessible|playlistForbidden)$/) || status === 404)
    return say('not_found', undefined, unknownPlaylist)
  if (status === 401 || status === 403 || is(/^(keyInvalid|keyExpired|API_KEY_\w+)$/) || /API key/i.test(message))
    return say('video_data_refused')
  return say('video_data_failed', 30)
}

export function refuseUnknownPlaylist(): never {
  fail('not_found', { detail: unknownPlaylist })
}

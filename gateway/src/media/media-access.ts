import { limits } from '@watchline/contracts/limits'
import { createMediaVerifier, type MediaTicket } from '@watchline/identity/media-addresses'
import type { Clock } from '@watchline/kit/core/clock'
import type { SecretList } from '@watchline/kit/core/hmac-signer'
import type { RequestHandler } from 'express'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { Exchange } from '../requests/exchange.ts'
import { refuse } from '../requests/replies.ts'
import { rateLimitedCaller, type Sessions } from '../session/sessions.ts'
import type { PlaylistMedia } from './playlist-media.ts'

export interface MediaAccessHost {
  secrets: SecretList
  sessions: Sessions
  clock: Clock
  rateLimits: RateLimits
  playlistMedia: PlaylistMedia
}

/** The part of an address before the file's own path, for the addresses of files beside it. */
export function mediaBaseOf(locals: Record<string, unknown>): string {
  return locals.mediaBase as string
}

/**
 * Lets a request for an own file pass if its address was signed for this login session, and neither
 * the address nor the session has ended. Players load a film by the same address for hours. So an
 * older address counts while playback-session says that the person may still watch the playlist,
 * and that it still holds the file. The next handlers see the path without the ticket.
 */
export function createMediaAccess(host: MediaAccessHost): RequestHandler {
  const { sessions, clock, rateLimits, playlistMedia } = host
  const verifier = createMediaVerifier(host.secrets)

  return async (req, res, next) => {
    const exchange = res.locals.exchange as Exchange
    exchange.operation = 'media'
    const now = clock.now()
    const session = sessions.read(req.headers.cookie, now)
    const waitS = rateLimits.consumeMedia(rateLimitedCaller(session, exchange.address), now)
    if (waitS !== undefined) return refuse(exchange, 'too_many', { retryAfterS: waitS })
    const { sid } = session
    if (sid === undefined) return refuse(exchange, 'no_session')
    const ticket = verifier.verify(req.path)
    if (!ticket) return refuse(exchange, 'not_found')

    const isFresh = ticket.isFor(sid) && ticket.expiresAt > now
    if (!isFresh && !session.claims && !isInGrace(ticket, sid, now)) return refuse(exchange, 'token_expired')
    if (!isFresh && session.claims) {
      const isAllowed = await mayStillLoad(ticket, { sid, token: session.token! }).catch(error => error as unknown)
      if (isAllowed !== true && isAllowed !== false)
        return refuse(exchange, 'unavailable', { retryAfterS: 2, service: 'playback-session', cause: isAllowed })
      if (!isAllowed) return refuse(exchange, 'not_found')
    }
    res.locals.mediaBase = `/media/${ticket.text}`
    req.url = ticket.filePath + req.url.slice(req.path.length)
    next()
  }

  async function mayStillLoad({ playlistId, scope }: MediaTicket, caller: { sid: string; token: string }) {
    if (playlistId === undefined) return false
    return (await playlistMedia.scopesOf(playlistId, caller)).has(scope)
  }
}

/** The next API call renews the access token; until then the address still counts. */
function isInGrace(ticket: MediaTicket, sid: string, now: number): boolean {
  return ticket.isFor(sid) && ticket.expiresAt + limits.mediaAddressGraceS * 1_000 > now
}

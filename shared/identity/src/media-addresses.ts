import { limits } from '@watchline/contracts/limits'
import { createHmacSigner, type SecretList } from '@watchline/kit/core/hmac-signer'
import { decodeMediaPath, isInMediaScope, type MediaPath, mediaPathOf, mediaScopeOf } from './media-scope.ts'
import { publicSessionId } from './public-session-id.ts'

/** The login session that an address is for, and the playlist that holds the file. */
export interface MediaGrant {
  sid: string
  /** Undefined for a preview: no playlist holds the file yet. */
  playlistId: string | undefined
}

export interface MediaSigner {
  /** The signed address of an own file; undefined for files elsewhere. `now` in ms. */
  sign(url: string, grant: MediaGrant, now: number): string | undefined
  /** The path of an own file below /media; undefined for files elsewhere. */
  pathOf(url: string): MediaPath | undefined
}

/** The content of a genuine address, which may have expired. */
export interface MediaTicket {
  /** The ticket itself, a segment of the path. */
  text: string
  playlistId: string | undefined
  /** ms. */
  expiresAt: number
  scope: string
  /** The file's path as it stands in the address, without the ticket: `/part/film.mp4`. */
  filePath: string
  isFor(sid: string): boolean
}

export interface MediaVerifier {
  /**
   * Reads the part of an address after `/media`. Undefined for an address that this product did not
   * sign, or signed for other files.
   */
  verify(path: string): MediaTicket | undefined
}

/** Stands for the playlist of a preview. */
const noPlaylist = '-'
const ticketFormat = /^\/~([0-9a-z]{1,9})\.([0-9a-z]{1,4})\.([\w-]{1,64})\.([\w-]{22})\.([\w-]{43})(\/.+)$/

/**
 * Addresses look like `/media/~<ticket>/part/film.mp4`: the ticket is a segment of the path, so
 * that the relative addresses inside an HLS playlist carry it, too. A ticket names its expiry, the
 * length of the scope, the playlist and the login session, and ends with an HMAC of them and the
 * scope.
 */
export function createMediaSigner(secrets: SecretList, ownOrigins: readonly string[] = []): MediaSigner {
  const signer = createHmacSigner(secrets)
  const windowMs = limits.mediaAddressS * 500
  const pathOf = (url: string) => mediaPathOf(url, ownOrigins)

  return {
    pathOf,
    sign: (url, { sid, playlistId = noPlaylist }, now) => {
      const path = pathOf(url)
      if (path === undefined) return undefined
      const scope = mediaScopeOf(path)
      // In windows, so that repeated answers carry the same address and browsers use their cache.
      const expiresS = ((Math.floor(now / windowMs) + 2) * windowMs) / 1_000
      const claims = `${expiresS.toString(36)}.${scope.length.toString(36)}.${playlistId}.${publicSessionId(sid)}`
      const query = /\?[^#]*/.exec(url)?.[0] ?? ''
      return `/media/~${claims}.${signer.sign(signedText(claims, scope))}/${encodePath(path)}${query}`
    },
  }
}

export function createMediaVerifier(secrets: SecretList): MediaVerifier {
  const signer = createHmacSigner(secrets)
  return {
    verify: path => {
      const match = ticketFormat.exec(path)
      if (!match) return undefined
      const [, expires, length, playlist, session, signature, filePath] = match as unknown as string[]
      const file = decodeMediaPath(filePath!.slice(1))
      if (file === undefined) return undefined
      // The scope of a file without an extension ends with a dot that its path does not have.
      const scope = `${file}.`.slice(0, Number.parseInt(length!, 36))
      const claims = `${expires}.${length}.${playlist}.${session}`
      if (!signer.matches(signedText(claims, scope), signature!) || !isInMediaScope(file, scope)) return undefined
      return {
        text: `~${claims}.${signature}`,
        playlistId: playlist === noPlaylist ? undefined : playlist,
        expiresAt: Number.parseInt(expires!, 36) * 1_000,
        scope,
        filePath: filePath!,
        isFor: sid => publicSessionId(sid) === session,
      }
    },
  }
}

const signedText = (claims: string, scope: string) => `media\n${claims}\n${scope}`

function encodePath(path: MediaPath): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

import { createHash } from 'node:crypto'

/**
 * A session's id for people: 22 characters of base64url. It names the session in lists and opens
 * nothing, unlike the id inside tokens, of which it is a SHA-256 hash.
 */
export function publicSessionId(sid: string): string {
  return createHash('sha256').update(`session:${sid}`).digest('base64url').slice(0, 22)
}

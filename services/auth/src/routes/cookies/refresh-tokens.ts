import { createHmac, timingSafeEqual } from 'node:crypto'

export interface RefreshTokens {
  make(sid: string, generation: number): string
  read(token: string): { sid: string; generation: number } | undefined
}

/**
 * A refresh token is `<sid>.<generation>.<hmac>`: nothing of it is stored, and tabs that race with the same spent token can all be
 * given the very same successor.
 */
export function createRefreshTokens(secret: string): RefreshTokens {
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('base64url')
  return {
    make: (sid, generation) => `${sid}.${generation}.${sign(`${sid}.${generation}`)}`,
    read: token => {
      const [, sid, generation, signature] = /^([\w-]{1,64})\.(\d{1,9})\.([\w-]{43})$/.exec(token) ?? []
      if (!sid || !generation || !signature) return undefined
      const expected = Buffer.from(sign(`${sid}.${generation}`))
      return timingSafeEqual(Buffer.from(signature), expected) ? { sid, generation: Number(generation) } : undefined
    },
  }
}

import { createHmac, timingSafeEqual } from 'node:crypto'

export interface RefreshTokens {
  create(sid: string, generation: number): string
  /** Undefined for a malformed or forged token. */
  read(token: string): { sid: string; generation: number } | undefined
}

/**
 * Signs refresh tokens of the form `<sid>.<generation>.<hmac>`. A token depends on nothing else and
 * is not stored, so tabs that race with the same spent token all get the same successor.
 */
export function createRefreshTokens(secret: string): RefreshTokens {
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('base64url')
  return {
    create: (sid, generation) => `${sid}.${generation}.${sign(`${sid}.${generation}`)}`,
    read: token => {
      const [, sid, generation, signature] = /^([\w-]{1,64})\.(\d{1,9})\.([\w-]{43})$/.exec(token) ?? []
      if (!sid || !generation || !signature) return undefined
      const expected = Buffer.from(sign(`${sid}.${generation}`))
      return timingSafeEqual(Buffer.from(signature), expected) ? { sid, generation: Number(generation) } : undefined
    },
  }
}

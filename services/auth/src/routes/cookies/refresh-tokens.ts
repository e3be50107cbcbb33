import { createHmacSigner, type SecretList } from '@watchline/kit/core/hmac-signer'

export interface RefreshTokens {
  create(sid: string, generation: number): string
  /** Undefined for a malformed or forged token. */
  read(token: string): { sid: string; generation: number } | undefined
}

/**
 * Signs refresh tokens of the form `<sid>.<generation>.<hmac>`. A token depends on nothing else and
 * is not stored, so tabs that race with the same spent token all get the same successor.
 */
export function createRefreshTokens(secrets: SecretList): RefreshTokens {
  const signer = createHmacSigner(secrets)
  return {
    create: (sid, generation) => `${sid}.${generation}.${signer.sign(`${sid}.${generation}`)}`,
    read: token => {
      const [, sid, generation, signature] = /^([\w-]{1,64})\.(\d{1,9})\.([\w-]{43})$/.exec(token) ?? []
      if (!sid || !generation || !signature) return undefined
      return signer.matches(`${sid}.${generation}`, signature) ? { sid, generation: Number(generation) } : undefined
    },
  }
}

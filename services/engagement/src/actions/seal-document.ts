import { createHash, randomBytes } from 'node:crypto'
import type { IssuedKind, IssuedPerson, RecordedPerson, RecordSeal } from '@watchline/contracts/records'
import { canonicalJson } from '@watchline/kit/core/canonical-json'

/** The hash of a value’s canonical JSON. */
export function hashOf(value: unknown): string {
  return hashText(canonicalJson(value))
}

/** SHA-256 in hexadecimal digits. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The seal of a document after the head of the chain. */
export function createSeal(
  { kind, content, issuedAt, keyId }: { kind: IssuedKind; content: string; issuedAt: Date; keyId: string },
  head: { seq: number; hash: string },
): RecordSeal {
  return {
    format: 'watchline.seal.1',
    number: head.seq + 1,
    kind,
    issued_at: issuedAt.toISOString(),
    record_sha256: hashText(content),
    previous_sha256: head.hash,
    key_id: keyId,
  }
}

export function saltPerson(person: RecordedPerson): IssuedPerson {
  return { ...person, salt: randomBytes(16).toString('hex') }
}

const codeCharacters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const codeLength = 20

/** 100 random bits in characters that are hard to confuse. */
export function createCode(): string {
  return [...randomBytes(codeLength)].map(byte => codeCharacters[byte % codeCharacters.length]).join('')
}

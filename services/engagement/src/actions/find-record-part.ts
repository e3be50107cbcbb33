import { hashText } from './seal-document.ts'

/**
 * The part, from 1 on, in which a divided record has the member: the first 32 bits of the SHA-256
 * of their id, modulo the number of parts. So a member who joins or leaves moves nobody else to
 * another part, and parts that are issued one after the other fit together.
 */
export function findRecordPart(memberId: string, parts: number): number {
  return (Number.parseInt(hashText(memberId).slice(0, 8), 16) % parts) + 1
}

/** A tail is moved when it has reached a length between these. Longer ones make a send dearer, shorter ones are moved more often. */
export const shortestMoved = 16
export const longestMoved = 32
/** Whoever was to move it did not. */
const neglected = 48

/**
 * Whether the message with this place has its room's tail moved: one message of all replicas', as long as nothing breaks off. The
 * length differs from room to room and from move to move, because rooms in which as much is written would else be moved all at once.
 */
export function isDue(roomId: string, movedSeq: number, seq: number): boolean {
  const length = seq - movedSeq
  return length === movedAt(roomId, movedSeq) || length >= neglected
}

/** The same for every replica. */
function movedAt(roomId: string, movedSeq: number): number {
  return shortestMoved + (hash(`${roomId}:${movedSeq}`) % (longestMoved - shortestMoved + 1))
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}

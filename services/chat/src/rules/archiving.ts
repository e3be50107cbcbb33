export interface MessageArchiver {
  /** Archives the rooms' recent messages soon; senders do not wait for it. */
  enqueue(roomIds: readonly string[]): void
  stop(): Promise<void>
}

/**
 * A room is archived when it holds a number of messages between these. More messages make a send
 * dearer; fewer make archiving more frequent.
 */
export const minArchiveLength = 16
export const maxArchiveLength = 32
/** The replica responsible did not archive the room: every later message makes it due. */
const overdueLength = 48

/**
 * Whether the message with this sequence number makes its room due for archiving. Among all
 * replicas one message does, unless archiving fails. The length varies by room and by archiving:
 * equally busy rooms would otherwise all be archived at once.
 */
export function isArchiveDue(roomId: string, archivedUpTo: number, sequenceNumber: number): boolean {
  const length = sequenceNumber - archivedUpTo
  return length === archiveLengthOf(roomId, archivedUpTo) || length >= overdueLength
}

/** The same in every replica. */
function archiveLengthOf(roomId: string, archivedUpTo: number): number {
  return minArchiveLength + (hashFnv1a(`${roomId}:${archivedUpTo}`) % (maxArchiveLength - minArchiveLength + 1))
}

function hashFnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

import type { EventData } from '@watchline/contracts/events'

/** A message, a read position or typing in a room. */
export type RoomChange = EventData<'chat.changed'>['changes'][number]

export interface HintPublisher {
  /** After a write: bumps the ETags of what changed, then publishes hints. */
  publishChanges(changes: readonly RoomChange[]): Promise<void>
  /** Publishes hints later, without a guarantee. */
  publishHints(changes: readonly RoomChange[]): void
}

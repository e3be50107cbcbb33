import type { Side } from './room.ts'

/** A message of a room. It never changes. */
export interface Message {
  id: string
  /** 1, 2, 3, … in its room, without gaps. */
  sequenceNumber: number
  senderSide: Side
  text: string
  at: Date
  /** Unique in its room: the sender's side with the client_id, or with # and the message's id. */
  key: string
  /** Messages of each side up to this one, itself included. */
  sentCounts: Record<Side, number>
}

export function messageKey(side: Side, id: string, clientId: string | undefined): string {
  return `${side}:${clientId ?? `#${id}`}`
}

export function clientIdOf({ key }: Pick<Message, 'key'>): string | null {
  const clientId = key.slice(2)
  return clientId.startsWith('#') ? null : clientId
}

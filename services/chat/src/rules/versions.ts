/** Change version of a person's rooms and of their unread count. */
export const roomsVersion = (personId: string) => `chat:${personId}`

/** Change version of a room's messages. */
export const messagesVersion = (roomId: string) => `chat-room:${roomId}`

/** Bounds how long a cached answer stays wrong after a version bump was lost. */
export const chatMaxAgeMs = 30_000

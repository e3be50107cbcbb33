/** A person's rooms and what they have not read. */
export const roomsVersion = (personId: string) => `chat:${personId}`

/** The messages of a room. */
export const messagesVersion = (roomId: string) => `chat-room:${roomId}`

/** It bounds what a raise that was lost with its process, or with the live store, can cost. */
export const chatFreshMs = 30_000

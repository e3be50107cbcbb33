import type { Browser } from '@watchline/testing/browser'

/** What clients were promised and can be looked up later, besides what the journal's registers hold. */
export interface Books {
  comments: { id: string; clientId: string; text: string }[]
  messages: { roomId: string; senderId: string; clientId: string; text: string; id: string; seq: number }[]
  /** How far somebody was told that they have read. */
  reads: { roomId: string; personId: string; upTo: number }[]
  viewings: Viewing[]
  /** Answers to comments. */
  reviews: { notificationId: string; approved: boolean; words: string }[]
  /** Notifications that are not folded, marked as read. */
  readNotifications: string[]
  /** By title; `id` once it was told. */
  playlists: { id?: string | undefined; title: string; createdBy: string }[]
  /** How many new assignments each person was certainly given by others, and may have been at most. */
  assigned: Map<string, { least: number; most: number }>
  signOuts: { name: string; browser: Browser; at: number }[]
  requests: { id: string; managerId: string; approved: boolean }[]
  imports: string[][]
}

/** One unbroken play of a video from its beginning, every report of it acknowledged. Seconds. */
export interface Viewing {
  personId: string
  playlistId: string
  videoId: string
  duration: number
  watched: number
}

export function createBooks(): Books {
  return {
    comments: [],
    messages: [],
    reads: [],
    viewings: [],
    reviews: [],
    readNotifications: [],
    playlists: [],
    assigned: new Map(),
    signOuts: [],
    requests: [],
    imports: [],
  }
}

import type { Browser } from '@watchline/testing/browser'

/** Acknowledged results that the checks look up later. The call log holds the rest. */
export interface ExpectedRecords {
  comments: { id: string; clientId: string; text: string }[]
  messages: { roomId: string; senderId: string; clientId: string; text: string; id: string; seq: number }[]
  /** Acknowledged read positions. */
  reads: { roomId: string; personId: string; upTo: number }[]
  viewings: Viewing[]
  /** Answers to comments. */
  reviews: { notificationId: string; approved: boolean; words: string }[]
  /** Ungrouped notifications that were marked as read. */
  readNotificationIds: string[]
  /** By title. `id` is set once an answer named it. */
  playlists: { id?: string | undefined; title: string; createdBy: string }[]
  /** By person: the certain minimum and the possible maximum of assignments made by superiors. */
  assigned: Map<string, { min: number; max: number }>
  signOuts: { name: string; browser: Browser; at: number }[]
  requests: { id: string; managerId: string; approved: boolean }[]
  imports: string[][]
}

/** One uninterrupted play from the beginning with every report acknowledged. Seconds. */
export interface Viewing {
  personId: string
  playlistId: string
  videoId: string
  duration: number
  watched: number
}

export function createExpectedRecords(): ExpectedRecords {
  return {
    comments: [],
    messages: [],
    reads: [],
    viewings: [],
    reviews: [],
    readNotificationIds: [],
    playlists: [],
    assigned: new Map(),
    signOuts: [],
    requests: [],
    imports: [],
  }
}

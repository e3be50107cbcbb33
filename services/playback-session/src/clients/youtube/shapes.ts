import { z } from 'zod'

// The parts of the YouTube Data API's answers that are read here; everything else is let through unseen.
// Source: developers.google.com/youtube/v3/docs, resources playlists, playlistItems and videos, and its page of errors.

const text = z.string().default('')

export const playlistList = z.object({
  items: z.array(z.object({ snippet: z.object({ title: text, description: text }) })).default([]),
})

export const playlistItemList = z.object({
  nextPageToken: z.string().optional(),
  items: z.array(z.object({ contentDetails: z.object({ videoId: z.string().max(100) }) })).default([]),
})

export const videoList = z.object({
  items: z
    .array(
      z.object({
        id: z.string(),
        snippet: z.object({ title: text, liveBroadcastContent: z.string().optional() }),
        contentDetails: z.object({
          duration: z.string().optional(),
          contentRating: z.object({ ytRating: z.string().optional() }).optional(),
        }),
        status: z.object({
          uploadStatus: z.string().optional(),
          privacyStatus: z.string().optional(),
          embeddable: z.boolean().optional(),
        }),
      }),
    )
    .default([]),
})

/** An error as Google's APIs tell it: the older `errors` and the newer `details` side by side. */
export const apiError = z.object({
  error: z.object({
    message: text,
    errors: z.array(z.object({ reason: text })).default([]),
    details: z.array(z.object({ reason: z.string().optional() })).default([]),
  }),
})

import { z } from 'zod'

// The fields of the YouTube Data API that are read here; other fields are ignored.
// Source: developers.google.com/youtube/v3/docs: playlists, playlistItems, videos and errors.

const text = z.string().default('')

export const playlistsResponse = z.object({
  items: z.array(z.object({ id: text, snippet: z.object({ title: text, description: text }) })).default([]),
})

export const playlistItemsResponse = z.object({
  nextPageToken: z.string().optional(),
  items: z.array(z.object({ contentDetails: z.object({ videoId: z.string().max(100) }) })).default([]),
})

export const videosResponse = z.object({
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
          madeForKids: z.boolean().optional(),
        }),
      }),
    )
    .default([]),
})

/** An error of Google's APIs, in the older format (`errors`) and the newer one (`details`). */
export const errorResponse = z.object({
  error: z.object({
    message: text,
    errors: z.array(z.object({ reason: text })).default([]),
    details: z.array(z.object({ reason: z.string().optional() })).default([]),
  }),
})

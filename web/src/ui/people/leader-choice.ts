import { z } from 'zod'

/** A chosen leader. The name is shown while the list is not loaded. */
export const leaderChoice = z.object({ id: z.string(), name: z.string() })
export type LeaderChoice = z.infer<typeof leaderChoice>

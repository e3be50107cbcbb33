/** A video of the stand-in for the YouTube Data API. */
export interface StandInVideo {
  id: string
  title: string
  /** An ISO 8601 duration. */
  duration: string
  privacyStatus?: 'public' | 'unlisted' | 'private'
  /** A deleted video stays in the playlist's list of ids. */
  deleted?: boolean
  embeddable?: boolean
  ageRestricted?: boolean
  madeForKids?: boolean
  liveBroadcastContent?: 'none' | 'live' | 'upcoming'
}

export interface StandInPlaylist {
  title: string
  description: string
  /** A caller with only a key cannot read a private playlist. */
  private?: boolean
  videos: StandInVideo[]
}

/** YouTube itself does not know these ids, so its player refuses them. */
export const playlistIds = {
  short: 'PLstandin-short',
  long: 'PLstandin-long-one',
  empty: 'PLstandin-empty',
  private: 'PLstandin-private',
} as const

const durations = ['PT1H2M3S', 'PT4M', 'PT59S', 'PT12M30S', 'PT2H']
const unusualVideos: Record<number, Partial<StandInVideo>> = {
  7: { privacyStatus: 'private', title: 'Private video' },
  19: { deleted: true, title: 'Deleted video' },
  31: { liveBroadcastContent: 'live', duration: 'P0D', title: 'Live from the workshop' },
  43: { duration: 'P1DT2H', title: 'A day and two hours of rain' },
  55: { embeddable: false, title: 'To be seen on YouTube only' },
}

/**
 * 120 items, which are three pages. Some cannot be watched, and the last item repeats the first.
 */
function longVideos(): StandInVideo[] {
  const videos = Array.from({ length: 119 }, (_, index) => ({
    id: `lesson-${String(index).padStart(4, '0')}`,
    title: `Lesson ${index + 1}`,
    duration: durations[index % durations.length]!,
    ...unusualVideos[index],
  }))
  return [...videos, videos[0]!]
}

/** New playlists by id. Each call returns its own copies, which tests may change. */
export function standInPlaylists(): Map<string, StandInPlaylist> {
  return new Map<string, StandInPlaylist>([
    [
      playlistIds.short,
      {
        title: 'Lifting and carrying',
        description: 'Three short films about lifting and carrying.\nWatch them in order.',
        videos: [
          { id: 'stand-in-01', title: 'Before you lift', duration: 'PT6S' },
          { id: 'stand-in-02', title: 'From the knees', duration: 'PT6S' },
          { id: 'stand-in-03', title: 'Putting it down', duration: 'PT6S' },
        ],
      },
    ],
    [playlistIds.long, { title: 'The whole workshop', description: 'Everything, in order.', videos: longVideos() }],
    [playlistIds.empty, { title: 'To be filled', description: '', videos: [] }],
    [
      playlistIds.private,
      {
        title: 'Drafts',
        description: '',
        private: true,
        videos: [{ id: 'stand-in-04', title: 'A draft', duration: 'PT6S' }],
      },
    ],
  ])
}

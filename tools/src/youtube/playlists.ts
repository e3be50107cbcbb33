/** A video as the stand-in for the YouTube Data API knows it. */
export interface StandInVideo {
  id: string
  title: string
  /** ISO 8601. */
  duration: string
  privacyStatus?: 'public' | 'unlisted' | 'private'
  /** Still listed in the playlist, and nowhere else. */
  deleted?: boolean
  embeddable?: boolean
  ageRestricted?: boolean
  liveBroadcastContent?: 'none' | 'live' | 'upcoming'
}

export interface StandInPlaylist {
  title: string
  description: string
  /** As good as unknown to whoever asks with a key only. */
  private?: boolean
  videos: StandInVideo[]
}

/** None of these ids means anything to YouTube itself: its player refuses them, the tests' own player shows six seconds of each. */
export const playlistIds = {
  short: 'PLstandin-short',
  long: 'PLstandin-long-one',
  empty: 'PLstandin-empty',
  private: 'PLstandin-private',
} as const

const durations = ['PT1H2M3S', 'PT4M', 'PT59S', 'PT12M30S', 'PT2H']
const oddOnes: Record<number, Partial<StandInVideo>> = {
  7: { privacyStatus: 'private', title: 'Private video' },
  19: { deleted: true, title: 'Deleted video' },
  31: { liveBroadcastContent: 'live', duration: 'P0D', title: 'Live from the workshop' },
  43: { duration: 'P1DT2H', title: 'A day and two hours of rain' },
  55: { embeddable: false, title: 'To be seen on YouTube only' },
}

/** A hundred and twenty items in three pages, a few of which cannot be watched; the last one repeats the first. */
function longVideos(): StandInVideo[] {
  const videos = Array.from({ length: 119 }, (_, index) => ({
    id: `lesson-${String(index).padStart(4, '0')}`,
    title: `Lesson ${index + 1}`,
    duration: durations[index % durations.length]!,
    ...oddOnes[index],
  }))
  return [...videos, videos[0]!]
}

/** Fresh playlists, by id, to be changed at will. */
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

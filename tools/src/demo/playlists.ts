import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SeededPlaylist } from '../../../services/playback-session/src/actions/seed-playlists.ts'
import { projectRoot } from '../provision/paths.ts'
import { supervisors, teamOf } from './people.ts'

export const clipFolder = join(projectRoot, 'tools/clips')

interface Clip {
  file: string
  title: string
  duration: number
}

/** The format that lab/src/clips/make-clips.ts writes. */
interface Programme {
  playlists: { title: string; description: string; clips: Clip[] }[]
}

export interface DemoPlaylist {
  title: string
  description: string
  /** The account of its author. */
  by: string
  /** The numbers of the supervisors who assign it, from 0. */
  teams: readonly number[]
  clips: readonly Clip[]
}

const programme = (JSON.parse(readFileSync(join(clipFolder, 'clips.json'), 'utf8')) as Programme).playlists
const allClips = programme.flatMap(({ clips }) => clips)
const shortClips = allClips.filter(({ duration }) => duration < 60)

function selectClips(...names: string[]): Clip[] {
  return names.map(name => {
    const clip = allClips.find(({ file }) => file === `${name}.webm`)
    if (!clip) throw new Error(`the demo has no clip ${name}`)
    return clip
  })
}

/** Each team has exactly one of these playlists, which every demo has. */
const [welcome, customers, dataProtection] = [
  { by: 'manager1', teams: [0, 1] },
  { by: 'manager2', teams: [2] },
  { by: 'supervisor4', teams: [3] },
].map((owner, index): DemoPlaylist => ({ ...owner, ...programme[index]! })) as [
  DemoPlaylist,
  DemoPlaylist,
  DemoPlaylist,
]
export const basicPlaylists = [welcome, customers, dataProtection]

/** All playlists of a demo with a history. */
export const playlists = {
  welcome,
  customers,
  dataProtection,
  calls: {
    title: 'Calls that end well',
    description: 'Three short clips about difficult calls. Write down one question for your supervisor.',
    by: 'manager1',
    teams: [0, 1],
    clips: selectClips('opening-well', 'listening-under-pressure', 'closing-with-a-next-step'),
  },
  wholeCourse: {
    title: 'The whole course in one sitting',
    description:
      'All nine short clips, from your first day to what to do when something goes wrong. You may pause at any time.',
    by: 'manager1',
    teams: [0, 1],
    clips: shortClips,
  },
  refresher: {
    title: 'One clip from each course',
    description: 'Safety, service, data and the day of the audit, which takes three minutes.',
    by: 'manager1',
    teams: [0, 1],
    clips: selectClips(
      'exits-and-assembly-point',
      'listening-under-pressure',
      'handling-data-with-care',
      'the-day-of-the-audit',
    ),
  },
  everyFloor: {
    title: 'Safety on every floor',
    description: 'Where the exits are, what keeps walkways safe, and a round of two minutes through the building.',
    by: 'manager2',
    teams: [2],
    clips: selectClips('exits-and-assembly-point', 'a-safe-workplace', 'a-round-of-the-building'),
  },
  incident: {
    title: 'When something goes wrong',
    description: 'One clip for everybody who handles records.',
    by: 'manager2',
    teams: [2],
    clips: selectClips('when-something-goes-wrong'),
  },
  careful: {
    title: 'Careful from the first day',
    description: 'Six clips about safety and personal data for people who start with us.',
    by: 'supervisor4',
    teams: [3],
    clips: selectClips(
      'your-first-day',
      'exits-and-assembly-point',
      'a-safe-workplace',
      'what-counts-as-personal-data',
      'handling-data-with-care',
      'when-something-goes-wrong',
    ),
  },
} satisfies Record<string, DemoPlaylist>

export type PlaylistKey = keyof typeof playlists

/** The video id of a clip. */
export const videoIdOf = ({ file }: Clip) => file.replace(/\.webm$/, '')

/** The playlist as the playback-session service seeds it, with or without its assignments. */
export function toSeededPlaylist(
  { title, description, by, teams, clips }: DemoPlaylist,
  idOf: (account: string) => string,
  { assigned }: { assigned: boolean },
): SeededPlaylist {
  const teamSupervisors = teams.map(team => supervisors[team]!)
  return {
    title,
    description,
    videos: clips.map(clip => ({
      provider: 'file',
      id: videoIdOf(clip),
      url: `/media/${clip.file}`,
      title: clip.title,
      duration: clip.duration,
    })),
    createdBy: idOf(by),
    sharedWith: teamSupervisors.filter(supervisor => supervisor !== by).map(idOf),
    assignments: assigned ? teams.map(team => ({ by: idOf(supervisors[team]!), to: teamOf(team).map(idOf) })) : [],
  }
}

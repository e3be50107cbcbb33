import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Organisation } from '../../../services/auth/src/actions/seed-organisation.ts'
import type { AuthService } from '../../../services/auth/src/service.ts'
import type { PlaybackSessionService } from '../../../services/playback-session/src/service.ts'
import { projectRoot } from '../provision/paths.ts'
import type { Log } from '../provision/types.ts'

/** The format that lab/src/clips/make-clips.ts writes. */
interface Clips {
  playlists: { title: string; description: string; clips: { file: string; title: string; duration: number }[] }[]
}

export const demoAdmin = { name: 'Administrator', email: 'admin@demo.local', password: 'watchline-demo' }

const email = (name: string) => `${name}@demo.local`
const numbered = (role: string, count: number) => Array.from({ length: count }, (_, index) => `${role}${index + 1}`)
const teamSize = 6
const managerOf: Record<string, string | undefined> = {
  supervisor1: 'manager1',
  supervisor2: 'manager1',
  supervisor3: 'manager2',
}

/** Names contain the role only: `trainee7` is "Trainee 7". */
const nameOf = (account: string) => account.replace(/^./, first => first.toUpperCase()).replace(/\d+/, ' $&')

const supervisors = numbered('supervisor', 4)
const trainees = numbered('trainee', supervisors.length * teamSize)
const teamOf = (supervisor: number) => trainees.slice(supervisor * teamSize, (supervisor + 1) * teamSize)

const organisation: Organisation = {
  admin: demoAdmin,
  people: [
    { name: nameOf('director1'), email: email('director1'), role: 'director' },
    ...numbered('manager', 2).map(account => ({
      name: nameOf(account),
      email: email(account),
      role: 'manager' as const,
    })),
    ...supervisors.map(account => ({
      name: nameOf(account),
      email: email(account),
      role: 'supervisor' as const,
      ...(managerOf[account] && { manager: email(managerOf[account]) }),
    })),
    ...trainees.map((account, index) => ({
      name: nameOf(account),
      email: email(account),
      role: 'user' as const,
      supervisor: email(supervisors[Math.floor(index / teamSize)]!),
    })),
  ],
}

/** Author and teams of each playlist. Each team has exactly one playlist. */
const owners = [
  { by: 'manager1', teams: [0, 1] },
  { by: 'manager2', teams: [2] },
  { by: 'supervisor4', teams: [3] },
]

/** Adds the demo organisation. Repeating it changes nothing; later changes and progress stay. */
export async function seedDemo({
  auth,
  playback,
  log,
}: {
  auth: AuthService
  playback: PlaybackSessionService
  log: Log
}): Promise<void> {
  const ids = await auth.seed(organisation)
  const id = (account: string) => ids.get(email(account))!
  const { playlists } = JSON.parse(readFileSync(join(projectRoot, 'tools/clips/clips.json'), 'utf8')) as Clips
  await playback.seed(
    playlists.map(({ title, description, clips }, index) => {
      const { by, teams } = owners[index]!
      return {
        title,
        description,
        videos: clips.map(clip => ({
          provider: 'file' as const,
          id: clip.file.replace(/\.webm$/, ''),
          url: `/media/${clip.file}`,
          title: clip.title,
          duration: clip.duration,
        })),
        createdBy: id(by),
        sharedWith: teams
          .map(team => supervisors[team]!)
          .filter(supervisor => supervisor !== by)
          .map(id),
        assignments: teams.map(team => ({ by: id(supervisors[team]!), to: teamOf(team).map(id) })),
      }
    }),
  )
  log(
    `demo organisation: sign in as trainee1@demo.local, supervisor1@demo.local …, admin ${demoAdmin.email} with ${demoAdmin.password}`,
  )
}

import type { AuthService } from '../../../services/auth/src/service.ts'
import type { PlaybackSessionService } from '../../../services/playback-session/src/service.ts'
import type { Log } from '../provision/types.ts'
import { demoAdmin, emailOf, organisation } from './people.ts'
import { basicPlaylists, toSeededPlaylist } from './playlists.ts'

/**
 * Adds the demo organisation without a history. Repeating it changes nothing; later changes and
 * progress stay.
 */
export async function seedDemo({
  auth,
  playback,
  log,
}: {
  auth: Pick<AuthService, 'seed'>
  playback: Pick<PlaybackSessionService, 'seed'>
  log: Log
}): Promise<void> {
  const ids = await auth.seed(organisation)
  const idOf = (account: string) => ids.get(emailOf(account))!
  await playback.seed(basicPlaylists.map(playlist => toSeededPlaylist(playlist, idOf, { assigned: true })))
  const admin = ids.has(demoAdmin.email)
    ? `admin ${demoAdmin.email} with ${demoAdmin.password}`
    : 'and as the administrator who was set up before'
  log(`demo organisation: sign in as trainee1@demo.local, supervisor1@demo.local …, ${admin}`)
}

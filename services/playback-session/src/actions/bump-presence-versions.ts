import type { PlaybackContext } from '../context.ts'
import { affectedPresenceKeys } from '../rules/presence-visibility.ts'

/** The version keys of every list in which a caller sees one of these people. */
export async function findAffectedPresenceKeys(
  { people }: Pick<PlaybackContext, 'people'>,
  ...personIds: string[]
): Promise<string[]> {
  const affected = await Promise.all(personIds.map(id => people.get(id)))
  const supervisors = await Promise.all(affected.map(person => person?.supervisorId && people.get(person.supervisorId)))
  return [
    ...new Set(affected.flatMap((person, index) => affectedPresenceKeys(person, supervisors[index] || undefined))),
  ]
}

/**
 * Bumps the versions after a change that is in the live store only. A failure is ignored: the list
 * of people online is served unchecked for a short time only, limits.onlineMaxAgeMs.
 */
export async function bumpPresenceVersions(
  ctx: Pick<PlaybackContext, 'people' | 'live'>,
  ...personIds: string[]
): Promise<void> {
  await findAffectedPresenceKeys(ctx, ...personIds)
    .then(keys => ctx.live.versions.bump(keys))
    .catch(() => {})
}

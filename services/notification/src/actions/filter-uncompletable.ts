import { type Person, unreachableVersion } from '@watchline/identity/people'
import type { MailDeps } from '../context.ts'
import type { ActivityGroup } from '../rules/activity.ts'
import { explainOutdated } from '../rules/task-state.ts'
import { removePeople } from '../rules/uncompletable-cause.ts'

/** Bounds the calls to the owners at the same time. */
const batchSize = 20

/**
 * The group without the people whose task is closed by now, whose account is active again, or who
 * have another supervisor. If nobody remains, the reason of the first one. Rejects while an owner
 * is unavailable.
 */
export async function filterUncompletable(
  { people, taskOwners }: Pick<MailDeps, 'people' | 'taskOwners'>,
  { recipient, group, playlistId }: { recipient: Person; group: ActivityGroup; playlistId: string },
): Promise<{ group: ActivityGroup } | { reason: string }> {
  const explain = async (personId: string): Promise<string | undefined> => {
    const outdated = explainOutdated(await taskOwners.findTask(personId, playlistId), { dueAt: undefined })
    if (outdated !== undefined) return outdated
    const { deactivatedAt, supervisorId } = (await people.find(personId, unreachableVersion)) ?? {}
    if (group.cause === 'no_access' && !deactivatedAt) return 'The account is active again.'
    const hasLeft = recipient.role === 'supervisor' && supervisorId && supervisorId !== recipient.id
    return hasLeft ? 'The person has another supervisor.' : undefined
  }
  const reasons = new Map<string, string>()
  const ids = group.people.map(({ id }) => id)
  for (let start = 0; start < ids.length; start += batchSize) {
    const batch = ids.slice(start, start + batchSize)
    const explanations = await Promise.all(batch.map(explain))
    for (const [index, reason] of explanations.entries()) if (reason !== undefined) reasons.set(batch[index]!, reason)
  }
  const remaining = removePeople(group, id => reasons.has(id))
  const [first = 'Nobody has the task any more.'] = reasons.values()
  return remaining.people.length > 0 ? { group: remaining } : { reason: first }
}

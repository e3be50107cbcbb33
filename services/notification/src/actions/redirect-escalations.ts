import { type Person, unreachableVersion } from '@watchline/identity/people'
import type { MailDeps } from '../context.ts'
import type { ClaimedMail } from '../store/mails.ts'
import type { EscalatedTask } from '../store/stored-mail.ts'
import { dropRepeated, filterOpenTasks } from './filter-open-tasks.ts'
import { notifyManager } from './notify-manager.ts'

/** Bounds the calls to auth at the same time. */
const batchSize = 20

/** A person who is not deactivated, with the manager of their supervisor. */
export interface Responsibility {
  person: Person
  /** Undefined without one. */
  manager: Person | undefined
}

/**
 * Each of these people with the manager who is responsible at this moment, as auth itself knows.
 * With `minVersion` 0 the answer may be older. Rejects while auth is unavailable and needed.
 */
export async function findManagers(
  { people }: Pick<MailDeps, 'people'>,
  personIds: readonly string[],
  minVersion = unreachableVersion,
): Promise<Map<string, Responsibility>> {
  const findAll = (ids: readonly (string | null | undefined)[]) => findInBatches(ids, id => people.find(id, minVersion))
  const persons = await findAll(personIds)
  const supervisors = await findAll([...persons.values()].map(({ supervisorId }) => supervisorId))
  const managers = await findAll([...supervisors.values()].map(({ managerId }) => managerId))
  const found = [...persons.values()].map(person => {
    const supervisor = supervisors.get(person.supervisorId ?? '')
    return [person.id, { person, manager: managers.get(supervisor?.managerId ?? '') }] as const
  })
  return new Map(found)
}

/** Those of the ids that are people, without deactivated and erased ones. */
async function findInBatches(
  ids: readonly (string | null | undefined)[],
  find: (id: string) => Promise<Person | undefined>,
): Promise<Map<string, Person>> {
  const distinct = [...new Set(ids)].filter(id => typeof id === 'string')
  const found = new Map<string, Person>()
  for (let start = 0; start < distinct.length; start += batchSize) {
    const batch = await Promise.all(distinct.slice(start, start + batchSize).map(find))
    for (const person of batch) if (person && !person.deactivatedAt && !person.erasedAt) found.set(person.id, person)
  }
  return found
}

/**
 * Runs before a manager's mail is sent. Tasks of people who have another manager by now go to that
 * one, as a new escalation. Both changes are one transaction, so each task is in one mail. Returns
 * the mail with the remaining tasks. Rejects while an owner is unavailable.
 */
export async function redirectEscalations(ctx: MailDeps, mail: ClaimedMail): Promise<ClaimedMail> {
  const { escalatedTasks = [], recipientId } = mail
  if (escalatedTasks.length === 0) return mail
  const managers = await findManagers(
    ctx,
    escalatedTasks.map(({ personId }) => personId),
  )
  const managerOf = ({ personId }: EscalatedTask) => managers.get(personId)?.manager?.id
  const reassignedTasks = escalatedTasks.filter(
    task => managerOf(task) !== undefined && managerOf(task) !== recipientId,
  )
  if (reassignedTasks.length === 0) return mail
  const remaining = escalatedTasks.filter(task => managerOf(task) === recipientId)
  const byManager = Map.groupBy(await filterOpenTasks(ctx, dropRepeated(reassignedTasks)), task => managerOf(task)!)
  await ctx.outbox.transaction(async tx => {
    // Without the claim, another process redirects them, and this one cannot send the mail.
    if (!(await ctx.mails.replaceEscalated(mail, remaining, tx.session))) return
    for (const [managerId, tasks] of byManager) await notifyManager(ctx, tx, managerId, tasks)
  })
  return { ...mail, escalatedTasks: remaining }
}

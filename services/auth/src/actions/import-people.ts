import type { AuditEntry } from '@watchline/contracts/audit'
import { peoplePerImportEvent } from '@watchline/contracts/events'
import { toPersonSnapshot } from '@watchline/identity/people'
import { newId } from '@watchline/kit/mongo/database'
import type { AuthContext } from '../context.ts'
import {
  emailsOf,
  type ImportRow,
  type ImportVerdict,
  type Leader,
  type PlannedPerson,
  planImport,
} from '../rules/people-import/plan.ts'
import type { PersonRecord } from '../store/people.ts'

const insertedTogether = 500

export interface ImportPeopleRequest {
  importId: string
  /** The run this is part of; when another has taken over, nothing is done. */
  run: string
  fileName: string
  by: NonNullable<AuditEntry['by']>
  rows: readonly ImportRow[]
  /** Hears how many are in, of those to come; back to 0 when MongoDB asks for the transaction again. */
  onProgress(done: number): void
  signal: AbortSignal
}

/**
 * Brings in everybody of a file in one transaction, at the places it names, or nobody: the file is judged again by what is so within
 * the transaction. Answers that verdict.
 */
export function importPeople(
  ctx: Pick<AuthContext, 'outbox' | 'invited' | 'imports' | 'audit' | 'clock'>,
  { importId, run, fileName, by, rows, onProgress, signal }: ImportPeopleRequest,
): Promise<ImportVerdict> {
  const { outbox, invited, imports, audit, clock } = ctx
  return outbox.transaction(async tx => {
    signal.throwIfAborted()
    onProgress(0)
    const known = await invited.findAllByEmail(emailsOf(rows), tx.session)
    const verdict = planImport(rows, known)
    if (!verdict.plan) return verdict
    const { people: planned, places, counts } = verdict.plan

    const now = clock.now()
    const people = recordsOf(planned, new Date(now).toISOString())
    await invited.lockAddresses(
      people.map(person => person.email),
      tx.session,
    )
    for (const [id, { role, count }] of places)
      if (!(await invited.takeSeats(id, role, count, tx.session)))
        throw new Error('a leader changed inside a transaction that had read them')
    for (let at = 0; at < people.length; at += insertedTogether) {
      signal.throwIfAborted()
      await invited.insert(people.slice(at, at + insertedTogether), tx.session)
      onProgress(Math.min(at + insertedTogether, people.length))
    }
    for (let at = 0; at < people.length; at += peoplePerImportEvent)
      tx.publish('users.imported', importId, {
        import_id: importId,
        by: by.id,
        people: people.slice(at, at + peoplePerImportEvent).map(toPersonSnapshot),
      })
    const after = { file_name: fileName, people: people.length, ...counts }
    await audit.add({ at: now, action: 'people_imported', by, subject: null, before: {}, after }, tx.session)
    const progress = { done: people.length, total: people.length }
    if (!(await imports.end(importId, run, { status: 'applied', counts, progress }, tx.session)))
      throw new Error('another run of this import has taken over')
    return verdict
  })
}

function recordsOf(planned: readonly PlannedPerson[], createdAt: string): PersonRecord[] {
  const ids = new Map(planned.map(({ email }) => [email, newId()]))
  const idOf = (leader: Leader | null) => leader && ('id' in leader ? leader.id : ids.get(leader.email)!)
  return planned.map(({ email, name, role, supervisor, manager, teamSize }) => ({
    id: ids.get(email)!,
    name,
    email,
    picture: null,
    role,
    supervisorId: idOf(supervisor),
    managerId: idOf(manager),
    createdAt,
    version: 1,
    teamSize,
    invited: true,
  }))
}

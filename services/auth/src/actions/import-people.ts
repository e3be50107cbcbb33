import { peoplePerImportEvent } from '@watchline/contracts/events'
import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import type { Clock } from '@watchline/kit/core/clock'
import type { Outbox } from '@watchline/kit/messaging/outbox'
import { newId } from '@watchline/kit/mongo/database'
import { type ImportVerdict, type Leader, type PlannedPerson, planImport } from '../rules/people-import/plan.ts'
import { emailsOf, type ImportRow } from '../rules/people-import/rows.ts'
import type { Actor, AuditStore } from '../store/audit.ts'
import type { ImportStore } from '../store/imports.ts'
import type { InvitedPeopleStore } from '../store/invited-people.ts'
import { newPerson, type PersonRecord } from '../store/person-model.ts'
import type { TeamStore } from '../store/teams.ts'

const insertBatchSize = 500

export interface ImportPeopleDeps {
  outbox: Outbox
  invited: InvitedPeopleStore
  teams: TeamStore
  imports: ImportStore
  audit: AuditStore
  clock: Clock
}

export interface ImportPeopleRequest {
  importId: string
  /** The current run. The import fails if another run has replaced it. */
  run: string
  fileName: string
  by: Actor
  rows: readonly ImportRow[]
  /** Gets the number of inserted people; 0 again whenever MongoDB retries the transaction. */
  onProgress(doneCount: number): void
  signal: AbortSignal
}

/**
 * Creates all people of a file in one transaction, or none. Plans the import again from what the
 * transaction reads, and returns that verdict.
 */
export function importPeople(deps: ImportPeopleDeps, request: ImportPeopleRequest): Promise<ImportVerdict> {
  const { outbox, invited, teams, imports, audit, clock } = deps
  const { importId, run, fileName, by, rows, onProgress, signal } = request
  return outbox.transaction(async tx => {
    signal.throwIfAborted()
    onProgress(0)
    const verdict = planImport(rows, await invited.findAllByEmail(emailsOf(rows), tx.session))
    if (!verdict.plan) return verdict
    await audit.lockChain(tx.session)
    const { people: planned, seats, counts } = verdict.plan

    const now = clock.now()
    const people = createRecords(planned, new Date(now).toISOString())
    await invited.lockAddresses(
      people.map(person => person.email),
      tx.session,
    )
    for (const [id, { role, count }] of seats)
      if (!(await teams.reserveSeats(id, role, count, tx.session)))
        throw new Error('a leader changed inside a transaction that had read them')
    for (let at = 0; at < people.length; at += insertBatchSize) {
      signal.throwIfAborted()
      await invited.insert(people.slice(at, at + insertBatchSize), tx.session)
      onProgress(Math.min(at + insertBatchSize, people.length))
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
    if (!(await imports.endRun(importId, run, { status: 'applied', counts, progress }, tx.session)))
      throw new Error('another run of this import has replaced this one')
    return verdict
  })
}

function createRecords(planned: readonly PlannedPerson[], createdAt: string): PersonRecord[] {
  const newIds = new Map(planned.map(({ email }) => [email, newId()]))
  const leaderId = (leader: Leader | null) => leader && ('id' in leader ? leader.id : newIds.get(leader.email)!)
  return planned.map(({ email, name, role, supervisor, manager, teamSize }) =>
    newPerson({
      id: newIds.get(email)!,
      name,
      email,
      role,
      supervisorId: leaderId(supervisor),
      supervisorSince: supervisor && createdAt,
      managerId: leaderId(manager),
      createdAt,
      teamSize,
      invited: true,
    }),
  )
}

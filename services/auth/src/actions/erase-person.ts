import { erasedName } from '@watchline/contracts/people'
import type { Erasure } from '@watchline/contracts/privacy'
import { nameKey } from '@watchline/identity/name-key'
import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import { fail, failField } from '@watchline/kit/core/errors'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { newId } from '@watchline/kit/mongo/database'
import type { AuthContext } from '../context.ts'
import { otherIdsField } from '../rules/erased-entry.ts'
import type { Actor } from '../store/audit.ts'
import { type ErasureReceipt, tombstoneOf } from '../store/erasure-receipts.ts'
import type { PersonRecord } from '../store/person-model.ts'
import type { Session } from '../store/sessions.ts'
import { clearSessionState, type EndSessionDeps, endSessionsOf } from './end-session.ts'
import { revokeRoleRelations } from './revoke-role-relations.ts'

type Deps = EndSessionDeps &
  Pick<
    AuthContext,
    | 'outbox'
    | 'people'
    | 'teams'
    | 'requests'
    | 'invited'
    | 'signInCodes'
    | 'signInClaims'
    | 'adminInvitations'
    | 'claimRules'
    | 'failedSignIns'
    | 'receipts'
    | 'erasureJobs'
    | 'audit'
    | 'live'
    | 'log'
  >

interface ErasureRequest {
  id: string
  /** Must be the person’s email address. */
  confirmEmail: string
  by: Actor
}

/**
 * Erases a person in one transaction: the account, their sessions, their seat in a team, and what
 * the audit log and requests say of them. The services erase the rest by `user.erased`. Called
 * again it only returns the receipt. Somebody without an account may have left names in the audit
 * log, too: a person who was deleted, or who was only invited.
 */
export async function erasePerson(deps: Deps, { id, confirmEmail, by }: ErasureRequest): Promise<Erasure> {
  const ended = await deps.outbox.transaction(async tx => {
    if (await deps.receipts.byPerson(id, tx.session)) return []
    const person = await deps.people.byId(id, tx.session)
    const former = person ? undefined : await deps.audit.findFormerPerson(id, tx.session)
    const found = person ?? former
    if (!found) fail('not_found')
    if (found.role === 'admin') fail('conflict', { detail: 'An administrator cannot be erased.' })
    const emails = former ? former.emails : [person!.email]
    if (!emails.includes(confirmEmail.trim().toLowerCase()))
      failField('confirm_email', 'is not the email address of this person')
    const erasedAt = deps.clock.now()
    const { role, createdAt } = found
    const receipt: ErasureReceipt = { id: newId(), personId: id, role, createdAt, erasedAt, by }
    await deps.receipts.insert(receipt, tx.session)
    const erasure = { receipt, by: by.id, tx }
    const { sessions, otherIds } = person
      ? await eraseAccount(deps, { person, ...erasure })
      : await eraseRemains(deps, erasure)
    await auditErasure(deps, { receipt, otherIds, by, at: erasedAt, tx })
    return sessions
  })
  await Promise.all(ended.map(session => clearSessionState(deps, session)))
  return (await deps.receipts.byPerson(id))!
}

/** Repeats the erasures that a restore undid. Returns their number. */
export async function repeatErasures(deps: Deps): Promise<number> {
  const repeated = await deps.receipts.findRepeated(repetitionsAtOnce)
  for (const receipt of repeated) {
    const ended = await deps.outbox.transaction(async tx => {
      if (!(await deps.receipts.startRepetition(receipt.personId, tx.session))) return []
      const person = await deps.people.byId(receipt.personId, tx.session)
      const erasure = { receipt, by: null, tx }
      const { sessions, otherIds } = person
        ? await eraseAccount(deps, { person, ...erasure })
        : await eraseRemains(deps, erasure)
      // After the erasure, which would remove its salt.
      await auditErasure(deps, { receipt, otherIds, by: null, at: deps.clock.now(), tx })
      return sessions
    })
    await Promise.all(ended.map(session => clearSessionState(deps, session)))
  }
  return repeated.length
}

const repetitionsAtOnce = 100

interface AccountErasure {
  person: PersonRecord
  receipt: ErasureReceipt
  by: string | null
  tx: Transaction
}

async function eraseAccount(deps: Deps, { person, receipt, by, tx }: AccountErasure): Promise<ErasureResult> {
  const { id, name, email } = person
  const erased = { ...tombstoneOf(receipt), teamSize: 0, invited: false }
  const earlierNames = await findEarlierNames(deps, person, tx)
  const emails = [email, ...earlierNames.filter(isEmail)]
  await deps.people.remove(person, tx.session)
  await revokeRoleRelations(deps, { person, changed: erased, by, tx })
  const sessions = await endSessionsOf(deps, tx, id)
  await deps.signInCodes.removeOf(id, tx.session)
  await deps.signInClaims.remove(id, tx.session)
  await deps.claimRules.eraseAuthor(person, tx.session)
  const otherIds = await eraseTraces(deps, { id, emails, names: [name, ...earlierNames] }, tx)
  await publishErasure(deps, { receipt, names: [name, email], earlierNames, by, tx })
  return { sessions, otherIds }
}

interface ErasureResult {
  sessions: Session[]
  otherIds: string[]
}

/** Erases what is left of somebody without an account. */
async function eraseRemains(deps: Deps, { receipt, by, tx }: Omit<AccountErasure, 'person'>): Promise<ErasureResult> {
  const id = receipt.personId
  const earlierNames = await findEarlierNames(deps, { id, name: '', email: '' }, tx)
  const emails = earlierNames.filter(isEmail)
  const otherIds = await eraseTraces(deps, { id, emails, names: earlierNames }, tx)
  await publishErasure(deps, { receipt, names: [], earlierNames, by, tx })
  return { sessions: [], otherIds }
}

/** Returns the ids of `eraseAuditEntries`. */
async function eraseTraces(
  deps: Deps,
  { id, emails, names }: { id: string; emails: readonly string[]; names: readonly string[] },
  tx: Transaction,
): Promise<string[]> {
  await deps.sessions.eraseDevices(id, tx.session)
  for (const address of emails) await deps.invited.unlockAddress(address, tx.session)
  await deps.requests.eraseTexts(id, tx.session)
  const otherIds = await eraseAuditEntries(deps, { id, emails }, tx)
  await deps.audit.eraseClaimValues(id, [...emails, ...names], tx.session)
  await deps.failedSignIns.removeOf(id, tx.session)
  await deps.receipts.eraseActor(id, tx.session)
  for (const address of emails) await deps.adminInvitations.removeOf(address, tx.session)
  return otherIds
}

const isEmail = (text: string) => text.includes('@')

/**
 * The names and addresses that the person had before, except addresses that are now somebody
 * else's: another person has one, or an open invitation with it names nobody that this person was.
 * The name of such another person is left out, too: it may be who was meant.
 */
async function findEarlierNames(
  { people, invited, adminInvitations, audit, clock }: Deps,
  { id, name, email }: Pick<PersonRecord, 'id' | 'name' | 'email'>,
  tx: Transaction,
): Promise<string[]> {
  const found = [...(await people.earlierNames(id, tx.session)), ...(await audit.namesOf(id, tx.session))]
  const earlier = [...new Set(found)].filter(
    text => text !== '' && text !== erasedName && text !== name && text !== email,
  )
  const addresses = earlier.filter(isEmail)
  const owners = (await invited.findAllByEmail(addresses, tx.session)).filter(owner => owner.id !== id)
  const ownNames = new Set([name, ...earlier].map(nameKey))
  const invitees = (await adminInvitations.listValidOf(addresses, clock.now(), tx.session)).filter(
    invitation => !ownNames.has(nameKey(invitation.name)),
  )
  const isForeign = new Set([...owners, ...invitees].map(owner => owner.email))
  const ownerNames = new Set(owners.map(owner => nameKey(owner.name)))
  return earlier.filter(text => !isForeign.has(text) && !ownerNames.has(nameKey(text)))
}

/**
 * Invitations and accounts that were deleted have ids of their own, but name an address that the
 * person has or had. Entries about somebody else's account with it stay. Returns the ids of the
 * former.
 */
async function eraseAuditEntries(
  { audit, people }: Deps,
  { id, emails }: { id: string; emails: readonly string[] },
  tx: Transaction,
): Promise<string[]> {
  const known = emails.filter(email => email !== '')
  const sameEmailIds = known.length === 0 ? [] : await audit.findSubjectsWithEmail(known, id, tx.session)
  const existing = await people.namesById(sameEmailIds, tx.session)
  const otherIds = sameEmailIds.filter(otherId => !existing.has(otherId))
  for (const subjectId of [id, ...otherIds]) await audit.eraseSubject(subjectId, tx.session)
  return otherIds
}

async function publishErasure(
  { erasureJobs }: Deps,
  {
    receipt,
    names,
    earlierNames,
    by,
    tx,
  }: Omit<AccountErasure, 'person'> & { names: readonly string[]; earlierNames: readonly string[] },
): Promise<void> {
  const { id: erasureId, personId } = receipt
  const person = toPersonSnapshot(tombstoneOf(receipt))
  const data = { person, by, erasure_id: erasureId }
  tx.publish('user.erased', personId, {
    ...data,
    ...(earlierNames.length > 0 && { earlier_names: [...earlierNames] }),
  })
  await erasureJobs.request({ erasureId, personId, names: [...names, ...earlierNames] }, tx)
}

interface ErasureEntry {
  receipt: ErasureReceipt
  otherIds: string[]
  by: Actor | null
  at: number
  tx: Transaction
}

/** The entry names nobody but the administrator. */
async function auditErasure({ audit }: Deps, { receipt, otherIds, by, at, tx }: ErasureEntry): Promise<void> {
  const subject = { id: receipt.personId, name: erasedName, email: '' }
  const after = { erasure_id: receipt.id, [otherIdsField]: otherIds.join(' ') || null }
  await audit.add({ at, action: 'erased', by, subject, before: {}, after }, tx.session)
}

import { toPersonSnapshot } from '@watchline/identity/people'
import { newId } from '@watchline/kit/mongo/database'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import type { AuthContext } from '../context.ts'
import { type Account, displayName } from '../rules/account.ts'
import type { Identity, PersonRecord } from '../store/people.ts'

type Ctx = Pick<AuthContext, 'outbox' | 'people' | 'invited' | 'clock'>

/**
 * The person of an account at a provider: whoever has it already, brought up to date; else whoever was invited under its verified
 * address, once; else somebody new.
 */
export async function upsertAccount(ctx: Ctx, identity: Identity, account: Account): Promise<PersonRecord> {
  const known = await ctx.people.byIdentity(identity)
  if (known && isUpToDate(known, account)) return known
  try {
    return await takeIn(ctx, identity, account)
  } catch (error) {
    // Another first sign-in of the same account was quicker: the person is there now.
    if (!isDuplicateKey(error)) throw error
    return takeIn(ctx, identity, account)
  }
}

function isUpToDate(person: PersonRecord, account: Account): boolean {
  const { email, picture } = account
  return person.name === displayName(account, person) && person.email === email && person.picture === picture
}

function takeIn({ people, invited, outbox, clock }: Ctx, identity: Identity, account: Account): Promise<PersonRecord> {
  const { email, picture } = account
  return outbox.transaction(async tx => {
    let known = await people.byIdentity(identity, tx.session)
    if (known?.email !== email) await invited.lockAddresses([email], tx.session)
    if (!known && account.emailVerified) known = await invited.claim(email, identity, tx.session)
    if (known && isUpToDate(known, account)) return known
    if (known) {
      const changed = await people.change(known, { name: displayName(account, known), email, picture }, tx.session)
      tx.publish('user.profile_changed', known.id, { person: toPersonSnapshot(changed), by: null })
      return changed
    }
    const person: PersonRecord = {
      id: newId(),
      name: displayName(account),
      email,
      picture,
      role: 'user',
      supervisorId: null,
      managerId: null,
      createdAt: new Date(clock.now()).toISOString(),
      version: 1,
      teamSize: 0,
      invited: false,
    }
    await people.insert(person, identity, tx.session)
    tx.publish('user.created', person.id, { person: toPersonSnapshot(person), by: null })
    return person
  })
}

import { isDuplicateKey } from '@watchline/kit/errors'
import { newId } from '@watchline/kit/mongo'
import type { AuthContext } from '../context.ts'
import { presentSnapshot } from '../presenters.ts'
import type { Account } from '../rules/account.ts'
import type { Identity, PersonRecord } from '../store/people.ts'

type Ctx = Pick<AuthContext, 'outbox' | 'people' | 'clock'>

/** The person of an account at a provider: made at the first sign-in, brought up to date at every later one. */
export async function takeInAccount(ctx: Ctx, identity: Identity, account: Account): Promise<PersonRecord> {
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

function isUpToDate(person: PersonRecord, { name, email, picture }: Account): boolean {
  return person.name === name && person.email === email && person.picture === picture
}

function takeIn({ people, outbox, clock }: Ctx, identity: Identity, account: Account): Promise<PersonRecord> {
  return outbox.transaction(async tx => {
    const known = await people.byIdentity(identity, tx.session)
    if (known && isUpToDate(known, account)) return known
    if (known) {
      const changed = await people.change(known, account, tx.session)
      tx.publish('user.profile_changed', known.id, { person: presentSnapshot(changed), by: null })
      return changed
    }
    const person: PersonRecord = {
      id: newId(),
      ...account,
      role: 'user',
      supervisorId: null,
      managerId: null,
      createdAt: new Date(clock.now()).toISOString(),
      version: 1,
      teamSize: 0,
    }
    await people.insert(person, identity, tx.session)
    tx.publish('user.created', person.id, { person: presentSnapshot(person), by: null })
    return person
  })
}

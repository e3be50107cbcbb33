import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import type { AuthContext } from '../context.ts'
import { type Account, displayName } from '../rules/account.ts'
import { type Identity, newPerson, type PersonRecord } from '../store/person-model.ts'

type Deps = Pick<AuthContext, 'outbox' | 'people' | 'invited' | 'clock'>

/**
 * The person of an account at an identity provider, in this order: the person who has the account,
 * with an updated profile; the person invited under its verified address; a new person.
 */
export async function upsertAccount(deps: Deps, identity: Identity, account: Account): Promise<PersonRecord> {
  const person = await deps.people.byIdentity(identity)
  if (person && isUpToDate(person, account)) return person
  try {
    return await writeAccount(deps, identity, account)
  } catch (error) {
    // A concurrent first sign-in of the same account has created the person.
    if (!isDuplicateKey(error)) throw error
    return writeAccount(deps, identity, account)
  }
}

function isUpToDate(person: PersonRecord, account: Account): boolean {
  const { email, picture } = account
  return person.name === displayName(account, person) && person.email === email && person.picture === picture
}

function writeAccount(
  { people, invited, outbox, clock }: Deps,
  identity: Identity,
  account: Account,
): Promise<PersonRecord> {
  const { email, picture } = account
  return outbox.transaction(async tx => {
    let person = await people.byIdentity(identity, tx.session)
    if (person?.email !== email) await invited.lockAddresses([email], tx.session)
    if (!person && account.emailVerified) person = await invited.claim(email, identity, tx.session)
    if (person && isUpToDate(person, account)) return person
    if (person) {
      const changed = await people.change(person, { name: displayName(account, person), email, picture }, tx.session)
      tx.publish('user.profile_changed', person.id, { person: toPersonSnapshot(changed), by: null })
      return changed
    }
    const createdAt = new Date(clock.now()).toISOString()
    const created = newPerson({ name: displayName(account), email, picture, role: 'user', createdAt })
    await people.insert(created, identity, tx.session)
    tx.publish('user.created', created.id, { person: toPersonSnapshot(created), by: null })
    return created
  })
}

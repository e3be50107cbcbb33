import { isDeepStrictEqual } from 'node:util'
import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import type { AuthContext } from '../context.ts'
import { type Account, displayName } from '../rules/account.ts'
import { type ClaimValues, cutClaims } from '../rules/claim-rules.ts'
import { type Identity, newPerson, type PersonRecord } from '../store/person-model.ts'
import { type ApplyClaimRulesDeps, applyClaimRules } from './apply-claim-rules.ts'

type Deps = ApplyClaimRulesDeps & Pick<AuthContext, 'outbox' | 'people' | 'invited' | 'clock'>

interface SignInFacts {
  claims?: ClaimValues[]
  /** The provider may give the account the seat of a person invited under its address. */
  mayBeInvited: boolean
}

/**
 * The person of an account at an identity provider. The person who has the account comes first, and
 * gets an updated profile. Next comes the person invited under its verified address, if the
 * provider may give invited seats. Otherwise it is a new person. With the claims of a sign-in, the
 * rules for them apply in the same transaction.
 */
export async function upsertAccount(
  deps: Deps,
  identity: Identity,
  account: Account,
  signIn: SignInFacts,
): Promise<PersonRecord> {
  const { claims } = signIn
  const person = await deps.people.byIdentity(identity)
  if (person && isUpToDate(person, account) && (await isNothingToApply(deps, person, claims))) return person
  try {
    return await writeAccount(deps, identity, account, signIn)
  } catch (error) {
    // A concurrent first sign-in of the same account has created the person.
    if (!isDuplicateKey(error)) throw error
    return writeAccount(deps, identity, account, signIn)
  }
}

function isUpToDate(person: PersonRecord, account: Account): boolean {
  const { email, emailVerified, picture } = account
  return (
    person.name === displayName(account, person) &&
    person.email === email &&
    person.emailVerified === emailVerified &&
    person.picture === picture
  )
}

/** Claims expire unless they are stored again; groups need them as long as the person signs in. */
const claimsRefreshMs = 30 * 24 * 3_600_000

/** Most installations have no rules; their sign-ins need no transaction. */
async function isNothingToApply(
  { claimRules, signInClaims, clock }: Deps,
  person: PersonRecord,
  claims: ClaimValues[] | undefined,
): Promise<boolean> {
  if (!claims) return true
  const [{ rules }, known] = await Promise.all([claimRules.read(), signInClaims.byPerson(person.id)])
  if (known && known.claims.length > 0 && clock.now() - known.at > claimsRefreshMs) return false
  return rules.length === 0 && !known?.problem && isDeepStrictEqual(known?.claims ?? [], cutClaims(claims))
}

function writeAccount(
  deps: Deps,
  identity: Identity,
  account: Account,
  { claims, mayBeInvited }: SignInFacts,
): Promise<PersonRecord> {
  return deps.outbox.transaction(async tx => {
    const person = await writePerson(deps, { identity, account, mayBeInvited, tx })
    return claims ? applyClaimRules(deps, { person, claims, tx }) : person
  })
}

interface WriteRequest extends Pick<SignInFacts, 'mayBeInvited'> {
  identity: Identity
  account: Account
  tx: Transaction
}

async function writePerson(
  { people, invited, clock }: Deps,
  { identity, account, mayBeInvited, tx }: WriteRequest,
): Promise<PersonRecord> {
  const { email, emailVerified, picture } = account
  let person = await people.byIdentity(identity, tx.session)
  if (person?.email !== email) await invited.lockAddresses([email], tx.session)
  if (!person && emailVerified && mayBeInvited) person = await invited.claim(email, identity, tx.session)
  if (person && isUpToDate(person, account)) return person
  if (person) {
    const profile = { name: displayName(account, person), email, emailVerified, picture }
    const changed = await people.change(person, profile, tx.session)
    tx.publish('user.profile_changed', person.id, { person: toPersonSnapshot(changed), by: null })
    return changed
  }
  const createdAt = new Date(clock.now()).toISOString()
  const created = newPerson({ name: displayName(account), email, emailVerified, picture, role: 'user', createdAt })
  await people.insert(created, identity, tx.session)
  tx.publish('user.created', created.id, { person: toPersonSnapshot(created), by: null })
  return created
}

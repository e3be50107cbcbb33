import { createHash } from 'node:crypto'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import { searchWords } from '../rules/search.ts'
import type { MembershipCheckStore } from './membership-checks.ts'
import { type Identity, type PersonRecord, type StoredPerson, toPersonRecord, toStoredPerson } from './person-model.ts'

const batchSize = 1_000
const addressLockTtlS = 3_600

export type InvitedPeopleStore = ReturnType<typeof createInvitedPeopleStore>

/**
 * People whom an import created, until their first sign-in: rows of `people` without an account.
 */
export function createInvitedPeopleStore(connection: Connection, membershipChecks: MembershipCheckStore) {
  // The driver inserts ten thousand rows many times faster than mongoose creates documents.
  const collection = () => connection.collection<StoredPerson>('people')
  const addressLocks = connection.model<{ _id: string; held_at: Date }>(
    'AddressLock',
    new Schema(
      { _id: String, held_at: { type: Date, expires: addressLockTtlS } },
      { versionKey: false, collection: 'held_addresses' },
    ),
  )

  return {
    /**
     * Locks these email addresses for the transaction: a first sign-in and an import, or two
     * imports, that use the same address conflict. MongoDB retries one of them, which then sees the
     * other's result.
     */
    lockAddresses: async (emails: readonly string[], session: ClientSession): Promise<void> => {
      const update = { $set: { held_at: new Date() } }
      const writes = emails.map(email => ({ updateOne: { filter: { _id: hashEmail(email) }, update, upsert: true } }))
      await addressLocks.collection.bulkWrite(writes as never, { session, ordered: false })
    },

    /** Removes the lock of an address, which expires otherwise. */
    unlockAddress: async (email: string, session: ClientSession): Promise<void> => {
      await addressLocks.deleteOne({ _id: hashEmail(email) }, { session })
    },

    /**
     * All people with one of these addresses, invited or not. `onProgress` gets the number of
     * addresses looked up.
     */
    findAllByEmail: async (
      emails: readonly string[],
      session: ClientSession | undefined,
      onProgress: (done: number) => void = () => {},
    ): Promise<PersonRecord[]> => {
      const people: PersonRecord[] = []
      for (let at = 0; at < emails.length; at += batchSize) {
        const batch = emails.slice(at, at + batchSize)
        const rows = await collection()
          .find({ email: { $in: batch } }, session && { session })
          .toArray()
        people.push(...rows.map(toPersonRecord))
        onProgress(at + batch.length)
      }
      return people
    },

    /**
     * Inserts people without search words, which are most of a person's index entries: the
     * transaction must fit into MongoDB's cache. `addSearchWords` adds them afterwards, or the next
     * start of the service.
     */
    insert: async (invited: readonly PersonRecord[], session: ClientSession): Promise<void> => {
      const rows = invited.map(person => {
        const { search_words: _, ...row } = toStoredPerson(person)
        return { ...row, team_size: person.teamSize, invited: true as const }
      })
      await collection().insertMany(rows as StoredPerson[], { session })
      const inTeams = invited.filter(({ supervisorId }) => supervisorId !== null)
      await membershipChecks.request(
        inTeams.map(({ id }) => id),
        session,
      )
    },

    /** Makes the people with these addresses searchable, batch by batch. */
    addSearchWords: async (emails: readonly string[]): Promise<void> => {
      for (let at = 0; at < emails.length; at += batchSize) {
        const filter = { email: { $in: emails.slice(at, at + batchSize) }, search_words: { $exists: false } }
        const rows = await collection().find(filter).toArray()
        const writes = rows.map(({ _id, name, email }) => ({
          updateOne: {
            filter: { _id, search_words: { $exists: false } },
            update: { $set: { search_words: searchWords(name, email) } },
          },
        }))
        if (writes.length > 0) await collection().bulkWrite(writes, { ordered: false })
      }
    },

    /**
     * Gives the account to the invited person with this address, if any. It never matches
     * administrators.
     */
    claim: async (email: string, identity: Identity, session: ClientSession): Promise<PersonRecord | undefined> => {
      const row = await collection().findOneAndUpdate(
        { email, invited: true, role: { $ne: 'admin' } },
        { $set: identity, $unset: { invited: 1 } },
        { session, returnDocument: 'after' },
      )
      return row ? toPersonRecord(row) : undefined
    },

    findInvited: async (email: string): Promise<PersonRecord | undefined> => {
      const row = await collection().findOne({ email, invited: true })
      return row ? toPersonRecord(row) : undefined
    },
  }
}

/** A short, fixed-length key, so that the lock collection is not a list of addresses. */
function hashEmail(email: string): string {
  return createHash('sha256').update(email).digest('base64url').slice(0, 22)
}

import { createHash } from 'node:crypto'
import { limits } from '@watchline/contracts/limits'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import { searchWords } from '../rules/search.ts'
import { type Identity, type PersonRecord, type StoredPerson, toPersonRecord, toStoredPerson } from './people.ts'

const atOnce = 1_000
const forgetS = 3_600

export type InvitedPeopleStore = ReturnType<typeof createInvitedPeopleStore>

/** People who were brought in by an import, until their first sign-in: they are rows of `people` without an account. */
export function createInvitedPeopleStore(connection: Connection) {
  // Written straight to the driver: ten thousand rows at once are many times faster than as documents of mongoose.
  const people = () => connection.collection<StoredPerson>('people')
  const addresses = connection.model<{ _id: string; held_at: Date }>(
    'HeldAddress',
    new Schema(
      { _id: String, held_at: { type: Date, expires: forgetS } },
      { versionKey: false, collection: 'held_addresses' },
    ),
  )

  return {
    /**
     * Lets only one transaction at a time decide who has these e-mail addresses: of a first sign-in and an import (or two) that meet, one is
     * begun again and sees what the other did.
     */
    lockAddresses: async (emails: readonly string[], session: ClientSession): Promise<void> => {
      const set = { $set: { held_at: new Date() } }
      const writes = emails.map(email => ({ updateOne: { filter: { _id: hashed(email) }, update: set, upsert: true } }))
      await addresses.collection.bulkWrite(writes as never, { session, ordered: false })
    },

    /** Everybody with one of these addresses, whatever their account. `onPart` hears how many addresses have been looked up. */
    findAllByEmail: async (
      emails: readonly string[],
      session: ClientSession | undefined,
      onPart: (done: number) => void = () => {},
    ): Promise<PersonRecord[]> => {
      const found: PersonRecord[] = []
      for (let at = 0; at < emails.length; at += atOnce) {
        const part = emails.slice(at, at + atOnce)
        const rows = await people()
          .find({ email: { $in: part } }, session && { session })
          .toArray()
        found.push(...rows.map(toPersonRecord))
        onPart(at + part.length)
      }
      return found
    },

    /**
     * Without the words they are found by, which are most of what a person is in the indexes: a transaction must fit into MongoDB's
     * cache. They follow it, see `addSearchWords`; what a killed process leaves out is added at the next start.
     */
    insert: async (invited: readonly PersonRecord[], session: ClientSession): Promise<void> => {
      const rows = invited.map(person => {
        const { search_words: _, ...row } = toStoredPerson(person)
        return { ...row, team_size: person.teamSize, invited: true as const }
      })
      await people().insertMany(rows as StoredPerson[], { session })
    },

    /** Lets those with these addresses be found, part by part. */
    addSearchWords: async (emails: readonly string[]): Promise<void> => {
      for (let at = 0; at < emails.length; at += atOnce) {
        const filter = { email: { $in: emails.slice(at, at + atOnce) }, search_words: { $exists: false } }
        const rows = await people().find(filter).toArray()
        const writes = rows.map(({ _id, name, email }) => ({
          updateOne: {
            filter: { _id, search_words: { $exists: false } },
            update: { $set: { search_words: searchWords(name, email) } },
          },
        }))
        if (writes.length > 0) await people().bulkWrite(writes, { ordered: false })
      }
    },

    /** Puts so many more under a leader who is there; false when they have not that role or too few places left. */
    takeSeats: async (
      leaderId: string,
      role: 'supervisor' | 'manager',
      count: number,
      session: ClientSession,
    ): Promise<boolean> => {
      const room = limits.supervisorCapacity - count
      const { matchedCount } = await people().updateOne(
        { _id: leaderId, role, ...(role === 'supervisor' && { team_size: { $lte: room } }) },
        { $inc: { team_size: count } },
        { session },
      )
      return matchedCount === 1
    },

    /** Gives the account to the one who waits for it under this address; undefined when nobody does. Administrators are never matched. */
    claim: async (email: string, identity: Identity, session: ClientSession): Promise<PersonRecord | undefined> => {
      const row = await people().findOneAndUpdate(
        { email, invited: true, role: { $ne: 'admin' } },
        { $set: identity, $unset: { invited: 1 } },
        { session, returnDocument: 'after' },
      )
      return row ? toPersonRecord(row) : undefined
    },

    findInvited: async (email: string): Promise<PersonRecord | undefined> => {
      const row = await people().findOne({ email, invited: true })
      return row ? toPersonRecord(row) : undefined
    },
  }
}

/** Short, whatever the address, and no list of addresses. */
function hashed(email: string): string {
  return createHash('sha256').update(email).digest('base64url').slice(0, 22)
}

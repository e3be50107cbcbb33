import type { Role } from '@watchline/contracts/people'
import { listOrderKey } from '@watchline/identity/name-key'
import type { Person } from '@watchline/identity/people'
import { pageById } from '@watchline/kit/mongo/database'
import type { ClientSession } from 'mongoose'
import { searchWords } from '../rules/search.ts'
import type { MembershipCheckStore } from './membership-checks.ts'
import { type Identity, type PersonModel, type PersonRecord, toPersonRecord, toStoredPerson } from './person-model.ts'

/** The fields of a person that can change; every change increments the version. */
export type PersonChange = Partial<
  Pick<
    PersonRecord,
    | 'name'
    | 'email'
    | 'emailVerified'
    | 'picture'
    | 'role'
    | 'supervisorId'
    | 'supervisorSince'
    | 'managerId'
    | 'teamSize'
  >
> & {
  /** null makes a deactivated account active. */
  deactivatedAt?: string | null
}

/** Bounds a row of somebody whose provider changes the name again and again. */
const maxEarlierNames = 100

export type PeopleStore = ReturnType<typeof createPeopleStore>

/** The fields that decide about groups, or that lists of members copy. */
const groupFields = ['name', 'email', 'role', 'supervisorId', 'managerId', 'deactivatedAt'] as const

/**
 * Reads and writes single people. Every change that may move a person between groups requests a
 * check of their groups here, so that no caller can forget it.
 */
export function createPeopleStore(model: PersonModel, membershipChecks: MembershipCheckStore) {
  return {
    byId: async (id: string, session: ClientSession | null = null): Promise<PersonRecord | undefined> => {
      const row = await model.findById(id).session(session).lean()
      return row ? toPersonRecord(row) : undefined
    },

    byIds: async (ids: readonly string[], session: ClientSession | null = null): Promise<PersonRecord[]> =>
      ids.length === 0
        ? []
        : (
            await model
              .find({ _id: { $in: [...ids] } })
              .session(session)
              .lean()
          ).map(toPersonRecord),

    byIdentity: async (
      { issuer, subject }: Identity,
      session: ClientSession | null = null,
    ): Promise<PersonRecord | undefined> => {
      const row = await model.findOne({ issuer, subject }).session(session).lean()
      return row ? toPersonRecord(row) : undefined
    },

    insert: async (person: Person, identity: Identity | undefined, session: ClientSession): Promise<void> => {
      await model.create([{ ...toStoredPerson(person), ...identity }], { session })
    },

    /** Removes a person, who was read in this transaction. */
    remove: async ({ id, version }: PersonRecord, session: ClientSession): Promise<void> => {
      const { deletedCount } = await model.deleteOne({ _id: id, version }, { session })
      if (deletedCount !== 1) throw new Error('a person changed inside a transaction that had read them')
      await membershipChecks.request([id], session)
    },

    /** Changes a person, increments their version and returns the new state. */
    change: async (person: PersonRecord, change: PersonChange, session: ClientSession): Promise<PersonRecord> => {
      const next = { ...person, ...change }
      const replaced = (['name', 'email'] as const)
        .filter(field => next[field] !== person[field] && person[field] !== '')
        .map(field => person[field])
      const supervisorSince = next.supervisorId === null ? null : next.supervisorSince
      const row = await model
        .findOneAndUpdate(
          { _id: person.id, version: person.version },
          {
            $set: {
              name: next.name,
              email: next.email,
              picture: next.picture,
              role: next.role,
              supervisor_id: next.supervisorId,
              manager_id: next.managerId,
              ...(supervisorSince !== undefined && { supervisor_since: supervisorSince }),
              search_words: searchWords(next.name, next.email),
              name_key: listOrderKey(next.name),
              ...(change.teamSize !== undefined && { team_size: change.teamSize }),
              ...(change.emailVerified !== undefined && { email_verified: change.emailVerified }),
              ...(change.deactivatedAt && { deactivated_at: change.deactivatedAt }),
            },
            ...(change.deactivatedAt === null && { $unset: { deactivated_at: true } }),
            ...(replaced.length > 0 && {
              $push: { earlier_names: { $each: replaced, $slice: -maxEarlierNames } },
            }),
            $inc: { version: 1 },
          },
          { session, returnDocument: 'after' },
        )
        .lean()
      if (!row) throw new Error('a person changed inside a transaction that had read them')
      if (groupFields.some(field => field in change && change[field] !== person[field]))
        await membershipChecks.request([person.id], session)
      return toPersonRecord(row)
    },

    /**
     * Makes sure that an active person keeps a role until the transaction commits; false when they
     * no longer have it. The write to the row makes every other transaction that changes this
     * person conflict.
     */
    lockRole: async (id: string, role: Role, session: ClientSession): Promise<boolean> => {
      const { matchedCount } = await model.updateOne(
        { _id: id, role, deactivated_at: null },
        { $inc: { relied_on: 1 } },
        { session },
      )
      return matchedCount === 1
    },

    /**
     * Makes sure that an account stays active until the transaction commits; false when it is
     * deactivated.
     */
    lockActive: async (id: string, session: ClientSession): Promise<boolean> => {
      const { matchedCount } = await model.updateOne(
        { _id: id, deactivated_at: null },
        { $inc: { relied_on: 1 } },
        { session },
      )
      return matchedCount === 1
    },

    /**
     * As `lockRole` for several people. Returns those who are active and have the role, or any role
     * but that of an administrator.
     */
    lockActiveAmong: async (ids: readonly string[], session: ClientSession, role?: Role): Promise<PersonRecord[]> => {
      if (ids.length === 0) return []
      const filter = { _id: { $in: [...ids] }, role: role ?? { $ne: 'admin' as const }, deactivated_at: null }
      await model.updateMany(filter, { $inc: { relied_on: 1 } }, { session })
      return (await model.find(filter).session(session).lean()).map(toPersonRecord)
    },

    /** The ids of the users of these supervisors, or of the supervisors of a manager. */
    idsBelow: async (
      leaders: { supervisorIds: readonly string[] } | { managerId: string },
      session: ClientSession | null = null,
    ): Promise<string[]> => {
      const filter =
        'managerId' in leaders
          ? { manager_id: leaders.managerId }
          : { supervisor_id: { $in: [...leaders.supervisorIds] } }
      const rows = await model.find(filter, { _id: 1 }).session(session).lean()
      return rows.map(row => row._id)
    },

    /** All administrators, the first one first. */
    administrators: async (session: ClientSession | null = null): Promise<PersonRecord[]> => {
      const rows = await model.find({ role: 'admin' }).sort({ created_at: 1, _id: 1 }).session(session).lean()
      return rows.map(toPersonRecord)
    },

    /**
     * A former administrator with this address whom nothing can sign in: the password is gone, and
     * there is no account at a provider. The latest of several, which earlier versions could leave.
     */
    formerAdministrator: async (email: string, session: ClientSession): Promise<PersonRecord | undefined> => {
      const filter = { email, role: { $ne: 'admin' as const }, issuer: null, invited: null }
      const row = await model.findOne(filter).sort({ created_at: -1, _id: -1 }).session(session).lean()
      return row ? toPersonRecord(row) : undefined
    },

    /** The issuer of the person's account at the identity provider. */
    issuerOf: async (id: string): Promise<string | undefined> =>
      (await model.findById(id, { issuer: 1 }).lean())?.issuer,

    /** Whether the person signs in through the identity provider. */
    hasIdentity: async (id: string, session: ClientSession | null = null): Promise<boolean> =>
      (await model.exists({ _id: id, issuer: { $gt: '' } }).session(session)) !== null,

    /** The names of people by their ids. */
    namesById: async (
      ids: readonly (string | null)[],
      session: ClientSession | null = null,
    ): Promise<Map<string, string>> => {
      const knownIds = [...new Set(ids.filter(id => id !== null))]
      if (knownIds.length === 0) return new Map()
      const rows = await model
        .find({ _id: { $in: knownIds } }, { name: 1 })
        .session(session)
        .lean()
      return new Map(rows.map(row => [row._id, row.name]))
    },

    /** The names and addresses that a person had before. */
    earlierNames: async (id: string, session: ClientSession): Promise<string[]> =>
      (await model.findById(id, { earlier_names: 1 }).session(session).lean())?.earlier_names ?? [],

    /** A page of all people, ordered by id, for the projections of other services. */
    afterId: async (after: string, limit: number): Promise<PersonRecord[]> =>
      (await pageById(model, { after, limit })).map(toPersonRecord),
  }
}

import { listOrderKey } from '@watchline/identity/name-key'
import type { ListOrder, PageEnd } from '@watchline/kit/mongo/list-order'
import type { ClientSession, Connection } from 'mongoose'
import { Schema } from 'mongoose'
import { searchWords } from '../rules/search.ts'
import { createSearchableList } from './searchable-list.ts'

/** A person in a group. */
export interface Membership {
  groupId: string
  personId: string
}

interface NamedPerson {
  id: string
  name: string
  email: string
}

interface StoredMember {
  /** Made of both ids, so that nobody is a member twice. */
  _id: string
  group_id: string
  person_id: string
  added_at: Date
  /** Copies of the person’s, by which lists order and search members. */
  name_key: string
  search_words: string[]
}

export interface MemberQuery {
  groupId: string
  search?: string | undefined
  after?: PageEnd | undefined
  limit: number
  /** The number of all members, for a list without a search. */
  memberCount: number
}

export const memberOrder: ListOrder = { fields: [{ name: 'name_key', type: 'text' }], direction: 1 }

const memberId = ({ groupId, personId }: Membership) => `${groupId}:${personId}`

export type GroupMemberStore = ReturnType<typeof createGroupMemberStore>

/** The members of groups, one document each. */
export function createGroupMemberStore(connection: Connection) {
  const schema = new Schema<StoredMember>(
    {
      _id: String,
      group_id: String,
      person_id: String,
      added_at: Date,
      name_key: String,
      search_words: [String],
    },
    { versionKey: false, collection: 'group_members' },
  )
  // Checks and erasures of a person read by `person`, lists and scans of a group by the others.
  schema.index({ person_id: 1, group_id: 1 }, { name: 'person' })
  schema.index({ group_id: 1, person_id: 1 }, { name: 'scan' })
  schema.index({ group_id: 1, name_key: 1, _id: 1 }, { name: 'names' })
  schema.index({ group_id: 1, search_words: 1, name_key: 1, _id: 1 }, { name: 'list_words' })
  const model = connection.model<StoredMember>('GroupMember', schema)
  const listMembers = createSearchableList(model, 'list_words')
  const copiesOf = ({ name, email }: NamedPerson) => ({
    name_key: listOrderKey(name),
    search_words: searchWords(name, email),
  })

  return {
    /** Adds people who are no members yet. */
    insert: async (
      groupId: string,
      people: readonly NamedPerson[],
      at: number,
      session: ClientSession,
    ): Promise<void> => {
      if (people.length === 0) return
      const rows: StoredMember[] = people.map(person => ({
        _id: memberId({ groupId, personId: person.id }),
        group_id: groupId,
        person_id: person.id,
        added_at: new Date(at),
        ...copiesOf(person),
      }))
      await model.collection.insertMany(rows as never, { session })
    },

    remove: async (groupId: string, personIds: readonly string[], session: ClientSession): Promise<void> => {
      const _id = { $in: personIds.map(personId => memberId({ groupId, personId })) }
      await model.deleteMany({ _id }, { session })
    },

    /** Those of the people who are members. */
    membersAmong: async (
      groupId: string,
      personIds: readonly string[],
      session: ClientSession | null = null,
    ): Promise<Set<string>> => {
      const _id = { $in: personIds.map(personId => memberId({ groupId, personId })) }
      const rows = await model.find({ _id }, { person_id: 1 }).session(session).lean()
      return new Set(rows.map(row => row.person_id))
    },

    /** Everything that these people are members of. */
    ofPeople: async (personIds: readonly string[], session: ClientSession | null = null): Promise<Membership[]> => {
      const rows = await model
        .find({ person_id: { $in: [...personIds] } }, { group_id: 1, person_id: 1 })
        .session(session)
        .lean()
      return rows.map(row => ({ groupId: row.group_id, personId: row.person_id }))
    },

    /** The groups that at least one of these people is a member of. */
    groupIdsOf: (personIds: readonly string[]): Promise<string[]> =>
      model.distinct('group_id', { person_id: { $in: [...personIds] } }).exec(),

    /** Updates the copies of a person’s name and address. */
    updateCopies: async (person: NamedPerson, session: ClientSession): Promise<void> => {
      const copies = copiesOf(person)
      await model.updateMany({ person_id: person.id }, { $set: copies }, { session })
    },

    /** A page of a group’s members in the order of their ids. */
    afterId: async (groupId: string, after: string, limit: number): Promise<string[]> => {
      const filter = { group_id: groupId, person_id: { $gt: after } }
      const rows = await model.find(filter, { person_id: 1 }).sort({ person_id: 1 }).limit(limit).lean()
      return rows.map(row => row.person_id)
    },

    /** A page of members by name. */
    list: async ({ groupId, search, after, limit, memberCount }: MemberQuery) => {
      const total = search ? undefined : memberCount
      const query = { filter: { group_id: groupId }, search, order: memberOrder, after, limit, orderIndex: 'names' }
      const page = await listMembers({ ...query, ...(total !== undefined && { total }) } as never)
      return { personIds: page.rows.map(row => row.person_id), total: page.total, next: page.next }
    },

    /** Removes members of a deleted group, at most `limit`; false if there is none left. */
    removeBatch: async (groupId: string, limit: number): Promise<boolean> => {
      const rows = await model.find({ group_id: groupId }, { _id: 1 }).limit(limit).lean()
      if (rows.length > 0) await model.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } })
      return rows.length > 0
    },
  }
}

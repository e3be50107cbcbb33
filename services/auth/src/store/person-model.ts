import { listOrderKey } from '@watchline/identity/name-key'
import type { Person } from '@watchline/identity/people'
import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import { type StoredPersonFields, toPerson as toIdentityPerson } from '@watchline/identity/stored-person'
import { isText, newId, retireIndexes } from '@watchline/kit/mongo/database'
import { type Connection, type Model, Schema } from 'mongoose'
import { searchWords } from '../rules/search.ts'

/** A person with the fields that only this service has. */
export interface PersonRecord extends Person {
  /**
   * The number of people directly under a supervisor or manager. Transactions that change teams
   * maintain it.
   */
  teamSize: number
  /** Created by an import and not signed in yet, so without an account at the identity provider. */
  invited: boolean
}

/** An account at an identity provider. */
export interface Identity {
  issuer: string
  subject: string
}

export interface StoredPerson extends StoredPersonFields {
  /** Absent for administrators, who sign in with a password, and for invited people. */
  issuer?: string
  subject?: string
  /** Present only until the first sign-in. */
  invited?: true
  created_at: Date
  team_size: number
  search_words: string[]
  /** The name as lists order it; see `listOrderKey`. */
  name_key: string
  /** Incremented to lock the row for a transaction, see `lockRole`. */
  relied_on?: number
  /**
   * Names and addresses before a change, for texts that contain them when the person is erased.
   * Absent before the first change, and for changes in earlier versions.
   */
  earlier_names?: string[]
}

export type PersonModel = Model<StoredPerson>

/** The `people` collection with its indexes; call it once for each connection. */
export function createPersonModel(connection: Connection): PersonModel {
  const schema = new Schema<StoredPerson>(
    {
      _id: String,
      issuer: String,
      subject: String,
      invited: Boolean,
      name: String,
      email: String,
      email_verified: Boolean,
      picture: String,
      role: String,
      supervisor_id: String,
      manager_id: String,
      created_at: Date,
      supervisor_since: String,
      deactivated_at: String,
      version: Number,
      team_size: Number,
      search_words: [String],
      name_key: String,
      relied_on: Number,
      earlier_names: { type: [String], default: undefined },
    },
    { versionKey: false, collection: 'people' },
  )
  schema.index(
    { issuer: 1, subject: 1 },
    { unique: true, partialFilterExpression: { issuer: isText }, name: 'account' },
  )
  schema.index({ role: 1, created_at: -1, _id: -1 }, { name: 'newest' })
  schema.index({ role: 1, name_key: 1, _id: 1 }, { name: 'names' })
  schema.index({ role: 1, team_size: 1, name_key: 1, _id: 1 }, { name: 'team_sizes' })
  // These hold the fields of every order: they filter and sort few people by their keys alone.
  const otherOrders = { created_at: 1, team_size: 1 } as const
  const filters = { manager_id: 1, supervisor_id: 1, deactivated_at: 1 } as const
  schema.index(
    { role: 1, manager_id: 1, name_key: 1, _id: 1, ...otherOrders, deactivated_at: 1 },
    { name: 'status_manager_names' },
  )
  schema.index(
    { role: 1, supervisor_id: 1, name_key: 1, _id: 1, created_at: 1, deactivated_at: 1 },
    { name: 'status_team_names' },
  )
  schema.index(
    { role: 1, search_words: 1, name_key: 1, _id: 1, ...otherOrders, ...filters },
    { name: 'status_list_words' },
  )
  // During a rollout, replicas of the previous version name these in their queries.
  schema.index({ role: 1, manager_id: 1, name_key: 1, _id: 1, created_at: 1, team_size: 1 }, { name: 'manager_names' })
  schema.index({ role: 1, supervisor_id: 1, name_key: 1, _id: 1, created_at: 1 }, { name: 'team_names' })
  schema.index(
    { role: 1, search_words: 1, name_key: 1, _id: 1, created_at: 1, team_size: 1, manager_id: 1, supervisor_id: 1 },
    { name: 'list_words' },
  )
  schema.index({ role: 1, manager_id: 1, created_at: -1, _id: -1 }, { name: 'managed' })
  schema.index({ role: 1, search_words: 1, created_at: -1, _id: -1, manager_id: 1 }, { name: 'words' })
  schema.index({ supervisor_id: 1 }, { partialFilterExpression: { supervisor_id: isText }, name: 'team' })
  schema.index({ manager_id: 1 }, { partialFilterExpression: { manager_id: isText }, name: 'supervisors' })
  schema.index({ role: 1 }, { partialFilterExpression: { deactivated_at: isText }, name: 'deactivated' })
  schema.index({ email: 1 }, { name: 'email' })
  schema.index({ email: 1 }, { unique: true, partialFilterExpression: { invited: true }, name: 'invited' })
  retireIndexes(schema, 'identity', 'supervisor_id_1', 'manager_id_1')
  return connection.model<StoredPerson>('Person', schema)
}

/** Increment it with each change of `listOrderKey`. The next starts then correct all keys. */
export const nameKeyForm = 2

type NewPersonFields = Pick<PersonRecord, 'name' | 'email' | 'role' | 'createdAt'> & Partial<PersonRecord>

/**
 * A person at version 1: with a new id, and without picture, leader, team and invitation unless
 * given.
 */
export function newPerson(fields: NewPersonFields): PersonRecord {
  return {
    id: newId(),
    picture: null,
    supervisorId: null,
    supervisorSince: null,
    managerId: null,
    version: 1,
    teamSize: 0,
    invited: false,
    ...fields,
  }
}

/** The row of a new person, with an empty team. */
export function toStoredPerson(person: Person): StoredPerson {
  const { id, created_at, ...fields } = toPersonSnapshot(person)
  return {
    _id: id,
    ...fields,
    created_at: new Date(created_at),
    team_size: 0,
    search_words: searchWords(person.name, person.email),
    name_key: listOrderKey(person.name),
  }
}

export function toPersonRecord(row: StoredPerson): PersonRecord {
  return { ...toIdentityPerson(row), teamSize: row.team_size, invited: row.invited === true }
}

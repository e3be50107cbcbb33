import type { PersonSnapshot } from '@watchline/contracts/people'
import type { Person } from '@watchline/kit/http/caller'
import { isText, retireIndexes } from '@watchline/kit/mongo/database'
import { type Connection, type Model, Schema } from 'mongoose'
import { orderKey } from './name-key.ts'

/** A person in MongoDB, in auth's own collection and in every projection. */
export interface StoredPersonFields extends Omit<PersonSnapshot, 'id' | 'created_at'> {
  _id: string
  created_at: string | Date
}

export interface StoredPerson extends StoredPersonFields {
  created_at: string
  /** Only in the row of a {@link DeletedPerson}, which lacks all other fields. */
  deleted?: string
  /** The name as lists order it; see `orderKey`. */
  name_key: string
}

/**
 * The row of a deleted person. Its version is higher than any other, so that no late snapshot
 * brings the person back.
 */
export interface DeletedPerson {
  _id: string
  version: typeof deletedVersion
  /** Text, because a partial index has these rows. */
  deleted: 'yes'
}

export const deletedVersion = Number.MAX_SAFE_INTEGER

/** The collection `people` of a projection, with its indexes. */
export function createPersonModel(connection: Connection): Model<StoredPerson> {
  const schema = new Schema<StoredPerson>(
    {
      _id: String,
      name: String,
      email: String,
      picture: String,
      role: String,
      supervisor_id: String,
      manager_id: String,
      created_at: String,
      supervisor_since: String,
      deactivated_at: String,
      email_verified: Boolean,
      erased_at: String,
      deleted: String,
      version: Number,
      name_key: String,
    },
    { versionKey: false, collection: 'people' },
  )
  schema.index({ supervisor_id: 1 }, { partialFilterExpression: { supervisor_id: isText }, name: 'team' })
  schema.index({ manager_id: 1 }, { partialFilterExpression: { manager_id: isText }, name: 'supervisors' })
  schema.index({ role: 1, name_key: 1, _id: 1 })
  schema.index({ role: 1 }, { partialFilterExpression: { deactivated_at: isText }, name: 'deactivated' })
  schema.index({ deleted: 1 }, { partialFilterExpression: { deleted: isText }, name: 'deleted' })
  retireIndexes(schema, 'supervisor_id_1', 'manager_id_1')
  return connection.model<StoredPerson>('ProjectedPerson', schema)
}

export function toStoredPerson({ id, ...fields }: PersonSnapshot): StoredPerson {
  return { _id: id, ...fields, name_key: orderKey(fields.name) }
}

export function toPerson(stored: StoredPersonFields): Person {
  return {
    id: stored._id,
    name: stored.name,
    email: stored.email,
    picture: stored.picture ?? null,
    role: stored.role,
    supervisorId: stored.supervisor_id ?? null,
    managerId: stored.manager_id ?? null,
    createdAt: typeof stored.created_at === 'string' ? stored.created_at : stored.created_at.toISOString(),
    ...(stored.supervisor_since !== undefined && { supervisorSince: stored.supervisor_since }),
    ...(stored.deactivated_at !== undefined && { deactivatedAt: stored.deactivated_at }),
    ...(stored.email_verified !== undefined && { emailVerified: stored.email_verified }),
    ...(stored.erased_at !== undefined && { erasedAt: stored.erased_at }),
    version: stored.version,
  }
}

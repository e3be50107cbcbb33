import { type ClientSession, type Connection, Schema } from 'mongoose'

interface StoredLeaders {
  /** The id of the deactivated person. */
  _id: string
  supervisor_id: string | null
  manager_id: string | null
}

/** The supervisor and the manager whom a person had when they were deactivated. */
export interface FormerLeaders {
  supervisorId: string | null
  managerId: string | null
}

/** The leaders of deactivated people, who have none any more. */
export interface FormerLeaderStore {
  find(personId: string): Promise<FormerLeaders | undefined>
  /** The ids of the people who had this supervisor. */
  membersOf(supervisorId: string): Promise<string[]>
  put(personId: string, leaders: FormerLeaders, session: ClientSession): Promise<void>
  removeOf(personId: string, session?: ClientSession): Promise<void>
}

export function createFormerLeaderStore(connection: Connection): FormerLeaderStore {
  const schema = new Schema<StoredLeaders>(
    { _id: String, supervisor_id: String, manager_id: String },
    { versionKey: false, collection: 'former_leaders' },
  )
  schema.index({ supervisor_id: 1 })
  const stored = connection.model<StoredLeaders>('FormerLeaders', schema)
  return {
    find: async personId => {
      const row = await stored.findById(personId).lean()
      return row ? { supervisorId: row.supervisor_id, managerId: row.manager_id } : undefined
    },
    membersOf: async supervisorId => {
      const rows = await stored.find({ supervisor_id: supervisorId }, { _id: 1 }).lean()
      return rows.map(({ _id }) => _id)
    },
    put: async (personId, { supervisorId, managerId }, session) => {
      const replacement = { supervisor_id: supervisorId, manager_id: managerId }
      await stored.replaceOne({ _id: personId }, replacement, { upsert: true, session })
    },
    removeOf: async (personId, session) => {
      await stored.deleteOne({ _id: personId }, session ? { session } : {})
    },
  }
}

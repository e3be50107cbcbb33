import type { ClaimRule } from '@watchline/contracts/claim-rules'
import { erasedName } from '@watchline/contracts/people'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import type { Actor } from './audit.ts'

export interface ClaimRulesRecord {
  rules: ClaimRule[]
  /** 0 before the first change. */
  version: number
  /** ms */
  updatedAt: number | null
  updatedBy: string | null
}

interface StoredRules {
  _id: string
  rules: ClaimRule[]
  version: number
  updated_at: Date
  updated_by: string
  /** Absent after a change by an earlier version. */
  updated_by_id?: string
}

const onlyId = 'rules'

export type ClaimRulesStore = ReturnType<typeof createClaimRulesStore>

/** The rules in one document, because their order counts. */
export function createClaimRulesStore(connection: Connection) {
  const model = connection.model<StoredRules>(
    'ClaimRules',
    new Schema<StoredRules>(
      {
        _id: String,
        rules: [Schema.Types.Mixed],
        version: Number,
        updated_at: Date,
        updated_by: String,
        updated_by_id: String,
      },
      { versionKey: false, collection: 'claim_rules' },
    ),
  )
  return {
    read: async (session: ClientSession | null = null): Promise<ClaimRulesRecord> => {
      const row = await model.findById(onlyId).session(session).lean()
      if (!row) return { rules: [], version: 0, updatedAt: null, updatedBy: null }
      return { rules: row.rules, version: row.version, updatedAt: row.updated_at.getTime(), updatedBy: row.updated_by }
    },

    /** Replaces the rules of this version; false if there is a newer one. */
    replace: async (
      { rules, version, at, by }: { rules: readonly ClaimRule[]; version: number; at: number; by: Actor },
      session: ClientSession,
    ): Promise<boolean> => {
      const changed = { updated_at: new Date(at), updated_by: by.name, updated_by_id: by.id }
      const fields = { rules: [...rules], version: version + 1, ...changed }
      if (version > 0) {
        const { matchedCount } = await model.updateOne({ _id: onlyId, version }, { $set: fields }, { session })
        return matchedCount === 1
      }
      try {
        await model.create([{ _id: onlyId, ...fields }], { session })
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    },

    /**
     * Removes the name of a former administrator, whom an earlier version stored without the id.
     */
    eraseAuthor: async ({ id, name }: Actor, session: ClientSession): Promise<void> => {
      const isAuthor = [{ updated_by_id: id }, { updated_by_id: null, updated_by: name }]
      await model.updateOne({ _id: onlyId, $or: isAuthor }, { $set: { updated_by: erasedName } }, { session })
    },
  }
}

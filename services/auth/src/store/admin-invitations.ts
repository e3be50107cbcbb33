import { createHash, randomBytes } from 'node:crypto'
import { newId } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import type { Actor } from './audit.ts'

/** Times in ms. */
export interface AdminInvitationRecord {
  id: string
  name: string
  email: string
  invitedBy: Actor
  createdAt: number
  expiresAt: number
}

interface StoredInvitation {
  _id: string
  /** SHA-256 of the token, so that a reader of the database cannot accept the invitation. */
  token_hash: string
  name: string
  email: string
  invited_by: Actor
  created_at: Date
  expires_at: Date
}

export type AdminInvitationStore = ReturnType<typeof createAdminInvitationStore>

/** Invitations to become an administrator, until they are accepted, withdrawn or expired. */
export function createAdminInvitationStore(connection: Connection) {
  const schema = new Schema<StoredInvitation>(
    {
      _id: String,
      token_hash: String,
      name: String,
      email: String,
      invited_by: Schema.Types.Mixed,
      created_at: Date,
      expires_at: Date,
    },
    { versionKey: false, collection: 'admin_invitations' },
  )
  schema.index({ email: 1 }, { unique: true })
  schema.index({ token_hash: 1 }, { unique: true })
  schema.index({ 'invited_by.id': 1 })
  schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
  const model = connection.model<StoredInvitation>('AdminInvitation', schema)
  const valid = (now: number) => ({ expires_at: { $gt: new Date(now) } })

  async function findValidByHash(tokenHash: string, now: number): Promise<AdminInvitationRecord | undefined> {
    const row = await model.findOne({ token_hash: tokenHash, ...valid(now) }).lean()
    return row ? toRecord(row) : undefined
  }

  return {
    /** Removes the invitation of an address, without a word to anybody. */
    removeOf: async (email: string, session: ClientSession): Promise<void> => {
      await model.deleteOne({ email }, { session })
    },

    /**
     * Stores an invitation instead of an earlier one of the same address. Only this answer has the
     * token.
     */
    replace: async (
      invitation: Omit<AdminInvitationRecord, 'id'>,
      session: ClientSession,
    ): Promise<{ stored: AdminInvitationRecord; token: string }> => {
      const id = newId()
      const token = randomBytes(32).toString('base64url')
      await model.deleteOne({ email: invitation.email }, { session })
      const row: StoredInvitation = {
        _id: id,
        token_hash: sha256(token),
        name: invitation.name,
        email: invitation.email,
        invited_by: { id: invitation.invitedBy.id, name: invitation.invitedBy.name },
        created_at: new Date(invitation.createdAt),
        expires_at: new Date(invitation.expiresAt),
      }
      await model.create([row], { session })
      return { stored: { id, ...invitation }, token }
    },

    listValidOf: async (
      emails: readonly string[],
      now: number,
      session: ClientSession,
    ): Promise<AdminInvitationRecord[]> => {
      const rows = await model
        .find({ email: { $in: [...emails] }, ...valid(now) })
        .session(session)
        .lean()
      return rows.map(toRecord)
    },

    listValid: async (now: number): Promise<AdminInvitationRecord[]> =>
      (await model.find(valid(now)).sort({ created_at: 1, _id: 1 }).lean()).map(toRecord),

    findValid: (token: string, now: number) => findValidByHash(sha256(token), now),

    findValidByHash,

    /** Deletes the invitation of a token and returns it; only one of several calls gets it. */
    redeem: async (token: string, now: number, session: ClientSession): Promise<AdminInvitationRecord | undefined> => {
      const row = await model.findOneAndDelete({ token_hash: sha256(token), ...valid(now) }, { session }).lean()
      return row ? toRecord(row) : undefined
    },

    withdraw: async (id: string, session: ClientSession): Promise<AdminInvitationRecord | undefined> => {
      const row = await model.findOneAndDelete({ _id: id }, { session }).lean()
      return row ? toRecord(row) : undefined
    },

    /** Deletes the invitations of an administrator. Returns their number. */
    withdrawAllOf: async (personId: string, session: ClientSession): Promise<number> =>
      (await model.deleteMany({ 'invited_by.id': personId }, { session })).deletedCount,
  }
}

function toRecord(row: StoredInvitation): AdminInvitationRecord {
  return {
    id: row._id,
    name: row.name,
    email: row.email,
    invitedBy: row.invited_by,
    createdAt: row.created_at.getTime(),
    expiresAt: row.expires_at.getTime(),
  }
}

function sha256(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

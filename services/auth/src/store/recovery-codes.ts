import { createHash, randomInt } from 'node:crypto'
import { limits } from '@watchline/contracts/limits'
import { type ClientSession, type Connection, Schema } from 'mongoose'

interface StoredCodes {
  /** The person's id. */
  _id: string
  /** Of the codes that are left. */
  hashes: string[]
}

// Without letters and digits that look alike. 28 of 32 are 140 bits, which nobody can try out, so a
// plain hash is enough. Codes of older versions have 16, and stay valid until they are replaced.
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const groups = 7
const groupLength = 4

export type RecoveryCodeStore = ReturnType<typeof createRecoveryCodeStore>

/** The recovery codes of administrators with a second factor. Each is valid once. */
export function createRecoveryCodeStore(connection: Connection) {
  const model = connection.model<StoredCodes>(
    'RecoveryCodes',
    new Schema<StoredCodes>({ _id: String, hashes: [String] }, { versionKey: false, collection: 'recovery_codes' }),
  )
  return {
    /** Creates new codes; the earlier ones are no longer valid. Only this answer has them. */
    replace: async (personId: string, session: ClientSession): Promise<string[]> => {
      const codes = Array.from({ length: limits.recoveryCodes }, createCode)
      const hashes = codes.map(code => hashCode(personId, code))
      await model.updateOne({ _id: personId }, { $set: { hashes } }, { session, upsert: true })
      return codes
    },

    countLeft: async (personId: string): Promise<number> => (await model.findById(personId).lean())?.hashes.length ?? 0,

    /** Uses a code up; false for a wrong or used one. */
    use: async (personId: string, code: string, session: ClientSession): Promise<boolean> => {
      const hash = hashCode(personId, code)
      const { modifiedCount } = await model.updateOne(
        { _id: personId, hashes: hash },
        { $pull: { hashes: hash } },
        { session },
      )
      return modifiedCount === 1
    },

    remove: async (personId: string, session: ClientSession): Promise<void> => {
      await model.deleteOne({ _id: personId }, { session })
    },
  }
}

function createCode(): string {
  const group = () => Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  return Array.from({ length: groups }, group).join('-')
}

/** People type codes in lower case, and with other separators. */
function hashCode(personId: string, code: string): string {
  const normalized = code.toUpperCase().replace(/[^A-Z\d]/g, '')
  return createHash('sha256').update(`${personId}:${normalized}`).digest('base64url')
}

import { isDeepStrictEqual } from 'node:util'
import type { ClaimProblem } from '@watchline/contracts/claim-rules'
import { isText, pageById } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, type QueryFilter, Schema } from 'mongoose'
import type { ClaimValues } from '../rules/claim-rules.ts'
import type { MembershipCheckStore } from './membership-checks.ts'

/** The reason why a rule could not be applied in full. */
export interface AppliedProblem {
  kind: ClaimProblem
  leaderId: string
}

/** The claims of a person's latest sign-in. `at` in ms. */
export interface SignInClaims {
  personId: string
  claims: ClaimValues[]
  problem: AppliedProblem | null
  at: number
}

interface StoredClaims {
  _id: string
  claims: ClaimValues[]
  problem: { kind: ClaimProblem; leader_id: string } | null
  at: Date
}

/** The longest time after a sign-in. Later, previews leave the person out. */
const keptS = 365 * 24 * 3_600
const withProblem = { 'problem.kind': isText } as object as QueryFilter<StoredClaims>

export type SignInClaimsStore = ReturnType<typeof createSignInClaimsStore>

/**
 * The input of dynamic groups by claim, and of previews of the rules: one document for each person
 * who has signed in.
 */
export function createSignInClaimsStore(connection: Connection, membershipChecks: MembershipCheckStore) {
  const schema = new Schema<StoredClaims>(
    { _id: String, claims: [Schema.Types.Mixed], problem: Schema.Types.Mixed, at: Date },
    { versionKey: false, collection: 'sign_in_claims', minimize: false },
  )
  schema.index({ at: 1 }, { expireAfterSeconds: keptS })
  schema.index({ 'problem.kind': 1, at: -1 }, { partialFilterExpression: withProblem, name: 'problems' })
  // Scans of a dynamic group by claim.
  schema.index({ 'claims.name': 1, 'claims.values': 1, _id: 1 }, { name: 'values' })
  const model = connection.model<StoredClaims>('SignInClaims', schema)
  return {
    byPerson: async (personId: string, session: ClientSession | null = null): Promise<SignInClaims | undefined> => {
      const row = await model.findById(personId).session(session).lean()
      return row ? toSignInClaims(row) : undefined
    },

    /** Stores the claims, and requests a check of the person’s groups if they changed. */
    save: async ({ personId, claims, problem, at }: SignInClaims, session: ClientSession): Promise<void> => {
      const stored = problem && { kind: problem.kind, leader_id: problem.leaderId }
      const previous = await model
        .findOneAndUpdate(
          { _id: personId },
          { $set: { claims, problem: stored, at: new Date(at) } },
          { session, upsert: true },
        )
        .lean()
      if (!isDeepStrictEqual(previous?.claims ?? [], claims)) await membershipChecks.request([personId], session)
    },

    byPeople: async (personIds: readonly string[], session: ClientSession | null = null): Promise<SignInClaims[]> =>
      (
        await model
          .find({ _id: { $in: [...personIds] } })
          .session(session)
          .lean()
      ).map(toSignInClaims),

    /** The people with this value, in the order of ids. */
    withValueAfterId: async (
      { claim, value }: { claim: string; value: string },
      after: string,
      limit: number,
    ): Promise<string[]> => {
      const filter = { claims: { $elemMatch: { name: claim, values: value } }, _id: { $gt: after } }
      const rows = await model.find(filter, { _id: 1 }).hint('values').sort({ _id: 1 }).limit(limit).lean()
      return rows.map(row => row._id)
    },

    remove: async (personId: string, session: ClientSession): Promise<void> => {
      await model.deleteOne({ _id: personId }, { session })
    },

    /** The latest sign-ins with a problem, and the number of all. */
    listProblems: async (limit: number): Promise<{ latest: SignInClaims[]; count: number }> => {
      const [rows, count] = await Promise.all([
        model.find(withProblem).hint('problems').sort({ at: -1 }).limit(limit).lean(),
        model.countDocuments(withProblem).hint('problems'),
      ])
      return { latest: rows.map(toSignInClaims), count }
    },

    /** A page in the order of ids, for previews. */
    afterId: async (after: string, limit: number): Promise<SignInClaims[]> =>
      (await pageById(model, { after, limit })).map(toSignInClaims),
  }
}

function toSignInClaims({ _id, claims, problem, at }: StoredClaims): SignInClaims {
  return {
    personId: _id,
    claims,
    problem: problem && { kind: problem.kind, leaderId: problem.leader_id },
    at: at.getTime(),
  }
}

import { limits } from '@watchline/contracts/limits'
import type { ClientSession } from 'mongoose'
import { type PersonModel, type PersonRecord, type StoredPerson, toPersonRecord } from './person-model.ts'

export type LeadingRole = 'supervisor' | 'manager'

export type TeamStore = ReturnType<typeof createTeamStore>

/**
 * Seats in the teams of supervisors and managers. The leader's own row counts them (`team_size`),
 * so that concurrent transactions on one team conflict and MongoDB retries them one at a time.
 */
export function createTeamStore(model: PersonModel) {
  const find = async (filter: Partial<StoredPerson>, session: ClientSession): Promise<PersonRecord[]> =>
    (await model.find(filter).session(session).lean()).map(toPersonRecord)

  return {
    /**
     * Reserves seats under a leader; false when they do not have that role, are deactivated, or too
     * few seats are left.
     */
    reserveSeats: async (
      leaderId: string,
      role: LeadingRole,
      count: number,
      session: ClientSession,
    ): Promise<boolean> => {
      const capacity = role === 'supervisor' && { team_size: { $lte: limits.supervisorCapacity - count } }
      const { matchedCount } = await model.updateOne(
        { _id: leaderId, role, deactivated_at: null, ...capacity },
        { $inc: { team_size: count } },
        { session },
      )
      return matchedCount === 1
    },

    releaseSeat: async (leaderId: string, session: ClientSession): Promise<void> => {
      await model.updateOne({ _id: leaderId }, { $inc: { team_size: -1 } }, { session })
    },

    /** The ids of the users in the teams of a manager. */
    managedUserIds: async (managerId: string): Promise<string[]> => {
      const supervisorIds = await model.distinct('_id', { role: 'supervisor', manager_id: managerId })
      return model.distinct('_id', { role: 'user', supervisor_id: { $in: supervisorIds } })
    },

    usersOf: (supervisorId: string, session: ClientSession) => find({ supervisor_id: supervisorId }, session),
    supervisorsOf: (managerId: string, session: ClientSession) => find({ manager_id: managerId }, session),
  }
}

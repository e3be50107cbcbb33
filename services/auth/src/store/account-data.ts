import { type PersonalDataParts, readKinds } from '@watchline/identity/personal-data'
import { readRows } from '@watchline/kit/mongo/read-rows'
import type { Connection } from 'mongoose'

export type AccountData = ReturnType<typeof createAccountData>

/**
 * The documents that this service stores of a person, as they are stored, without secrets and the
 * keys of its indexes.
 */
export function createAccountData(connection: Connection) {
  return {
    read: async function* (personId: string): PersonalDataParts {
      const withoutKeys = { search_words: 0, name_key: 0, relied_on: 0 }
      const withoutToken = { provider_token: 0, provider_token_key: 0, id_token: 0 }
      // The address is mostly that of the administrator who acted.
      const withoutChain = { search_words: 0, address: 0, details_salt: 0, details_hash: 0, prev_hash: 0, hash: 0 }
      const factorFields = { kind: 1, name: 1, added_at: 1, last_used_at: 1 }
      // The values are those of the other person.
      const actFields = { at: 1, action: 1, address: 1, 'subject.id': 1 }
      const parts = {
        account: readRows(connection, 'people', { _id: personId }, { projection: withoutKeys }),
        sign_in_claims: readRows(connection, 'sign_in_claims', { _id: personId }),
        sign_ins: readRows(connection, 'sessions', { person_id: personId }, { projection: withoutToken }),
        second_factors: readRows(connection, 'second_factors', { person_id: personId }, { projection: factorFields }),
        supervisor_requests: readRows(connection, 'supervisor_requests', {
          $or: [{ manager_id: personId }, { supervisor_id: personId }],
        }),
        failed_sign_ins: readRows(connection, 'failed_sign_ins', { person_id: personId }),
        group_memberships: readMemberships(connection, personId),
        assignable_groups: readRows(connection, 'groups', { assigners: personId }, { projection: { name: 1 } }),
        audit_entries: readRows(connection, 'audit', { 'subject.id': personId }, { projection: withoutChain }),
        own_acts: readRows(connection, 'audit', { 'by.id': personId }, { projection: actFields }),
      }
      yield* readKinds(parts)
    },
  }
}

/** The groups that the person is in, by name. */
async function* readMemberships(connection: Connection, personId: string) {
  const projection = { name_key: 0, search_words: 0 }
  // A group that was deleted just now has no name any more.
  for await (const row of readRows(connection, 'group_members', { person_id: personId }, { projection }))
    for await (const { name } of readRows(connection, 'groups', { _id: row.group_id as string }))
      yield { ...row, group_name: name }
}

import { getGroupSnapshot, listGroupMemberIds, listGroupsOfPeople } from '@watchline/contracts/internal-operations'
import { limits } from '@watchline/contracts/limits'
import { fail, ServiceError } from '@watchline/kit/core/errors'
import { createInternalClient } from '@watchline/kit/http/internal-client'
import type { ServiceHost } from '@watchline/kit/process/service-host'

export interface GroupMembers {
  /**
   * The ids of all members, from auth. Throws `not_found` if there is no such group or if the
   * viewer may not see it, and 503 `unavailable`. Without a viewer, every group is found.
   */
  list(groupId: string, viewerId?: string): Promise<Set<string>>
  /** Throws as `list`. */
  findGroup(groupId: string, viewerId: string): Promise<NamedGroup>
  /**
   * The groups of these people by person, among those by which the viewer may filter. Without a
   * viewer, all of them. Throws 503 `unavailable`.
   */
  listGroupsOf(personIds: readonly string[], viewerId?: string): Promise<Map<string, NamedGroup[]>>
}

export interface NamedGroup {
  id: string
  name: string
}

export function createGroupMembers({
  credentials,
  tracer,
  config: { authUrl },
}: Pick<ServiceHost, 'credentials' | 'tracer' | 'config'>): GroupMembers {
  const auth = createInternalClient({ url: authUrl, credentials, tracer })
  return {
    list: async (groupId, viewerId) => {
      const ids: string[] = []
      for (;;) {
        const page = await auth
          .find(listGroupMemberIds, {
            params: { id: groupId },
            query: {
              ...{ after: ids.at(-1) ?? '', limit: limits.internalPageMax },
              ...(viewerId !== undefined && { viewer_id: viewerId }),
            },
          })
          .catch(failUnavailable)
        if (!page) fail('not_found')
        ids.push(...page)
        if (page.length < limits.internalPageMax) return new Set(ids)
      }
    },
    findGroup: async (groupId, viewerId) => {
      const input = { params: { id: groupId }, query: { viewer_id: viewerId } }
      return (await auth.find(getGroupSnapshot, input).catch(failUnavailable)) ?? fail('not_found')
    },
    listGroupsOf: async (personIds, viewerId) => {
      const groupsOf = new Map<string, NamedGroup[]>(personIds.map(id => [id, []]))
      for (let start = 0; start < personIds.length; start += limits.idListMax) {
        const query = {
          person_ids: personIds.slice(start, start + limits.idListMax),
          ...(viewerId !== undefined && { viewer_id: viewerId }),
        }
        for (const { id, name, member_ids } of await auth.call(listGroupsOfPeople, { query }).catch(failUnavailable))
          for (const memberId of member_ids) groupsOf.get(memberId)?.push({ id, name })
      }
      return groupsOf
    },
  }
}

function failUnavailable(cause: unknown): never {
  throw new ServiceError('unavailable', { retryAfterS: 2, cause })
}

import { getGroupSnapshot, listGroupMemberIds } from '@watchline/contracts/internal-operations'
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
  findGroup(groupId: string, viewerId: string): Promise<{ id: string; name: string }>
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
  }
}

function failUnavailable(cause: unknown): never {
  throw new ServiceError('unavailable', { retryAfterS: 2, cause })
}

import { createHash } from 'node:crypto'
import { getAdminInvitation } from '@watchline/contracts/internal-operations'
import type { ResponseOf } from '@watchline/contracts/operation'
import { ServiceError } from '@watchline/kit/core/errors'
import { createInternalClient } from '@watchline/kit/http/internal-client'
import type { ServiceHost } from '@watchline/kit/process/service-host'

export interface AdminInvitations {
  /**
   * The valid invitation of an administrator with this token, from auth, which gets the hash of the
   * token only. Throws 503 `unavailable`.
   */
  find(token: string): Promise<ResponseOf<typeof getAdminInvitation> | undefined>
}

export function createAdminInvitations({
  credentials,
  tracer,
  config: { authUrl },
}: Pick<ServiceHost, 'credentials' | 'tracer' | 'config'>): AdminInvitations {
  const auth = createInternalClient({ url: authUrl, credentials, tracer })
  return {
    find: token => {
      const tokenHash = createHash('sha256').update(token).digest('hex')
      return auth.find(getAdminInvitation, { params: { tokenHash } }).catch(cause => {
        throw new ServiceError('unavailable', { retryAfterS: 2, cause })
      })
    },
  }
}

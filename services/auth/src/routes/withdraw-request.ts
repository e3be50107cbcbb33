import { withdrawRequest as operation } from '@watchline/contracts/supervisor-requests'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { presentRequest } from './presenters.ts'

export const withdrawRequest = defineRoute(
  operation,
  async ({ params: { id }, person: manager }, { clock, outbox, people, requests }: AuthContext) => {
    const request = await outbox.transaction(async tx => {
      const withdrawn = await requests.withdrawOwn({ id, managerId: manager.id, at: clock.now() }, tx.session)
      if (withdrawn) return withdrawn
      const stored = await requests.byId(id, tx.session)
      if (stored?.managerId !== manager.id) fail('not_found')
      return stored.status === 'withdrawn' ? stored : fail('already_reviewed')
    })
    return { success: true as const, request: await presentRequest(request, people) }
  },
)

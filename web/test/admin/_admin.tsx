import type { ResponseOf } from '@watchline/contracts/operation'
import type { countUsers } from '@watchline/contracts/organisation'
import { AdminDashboard } from '../../src/features/admin/admin-dashboard.tsx'
import { ChoiceOwner } from '../../src/ui/lists/remembered-choice.ts'
import { renderScreen } from '../support/render.tsx'

/** Makes the figures of an organisation. */
export function makeCounts(changes: Partial<ResponseOf<typeof countUsers>> = {}): ResponseOf<typeof countUsers> {
  return {
    total: 1_312,
    user: 1_200,
    supervisor: 90,
    manager: 20,
    director: 2,
    managed_supervisors: 31,
    pending_requests: 0,
    ...changes,
  }
}

export const openAdmin = (address = '/admin') =>
  renderScreen(
    <ChoiceOwner value="admin-1">
      <AdminDashboard onlinePanel={<p>who is online</p>} groupsPanel={<p>groups</p>} reportsPanel={<p>reports</p>} />
    </ChoiceOwner>,
    { at: address },
  )

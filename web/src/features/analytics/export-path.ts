import { exportTeam } from '@watchline/contracts/engagement'
import type { TeamScope } from './analytics-api.ts'

/** The path of the export of a part of the organisation. */
export function exportPath(scope: TeamScope): string {
  const query = new URLSearchParams(Object.entries(scope).filter(([, id]) => id !== undefined))
  return query.size > 0 ? `${exportTeam.path}?${query}` : exportTeam.path
}

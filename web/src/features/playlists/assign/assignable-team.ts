import { limits } from '@watchline/contracts/limits'

/** Those whom a playlist can be assigned to. */
export const assignableTeam = (search?: string) => ({
  query: { limit: limits.pageMax, role: 'user' as const, search: search || undefined },
})

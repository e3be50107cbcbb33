import { limits } from '@watchline/contracts/limits'

/** The query for people who can get a playlist assigned. */
export const assignableTeam = (search?: string) => ({
  query: { limit: limits.pageMax, role: 'user' as const, search: search || undefined },
})

export const teamPageSize = 50

/** The arguments of the team's first page, shared by stat card and table. */
export const firstTeamPage = { query: { limit: teamPageSize } }

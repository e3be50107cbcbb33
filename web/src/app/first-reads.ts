/**
 * The first reads of the dashboards, by role, and of the setup checklist. The small script before
 * the client requests these answers. A test compares them with the dashboards' calls.
 */
export const firstReads: Record<string, readonly string[]> = {
  user: [
    '/playlists/today',
    '/playlists/assigned?limit=20&status=open',
    '/playlists/assigned?limit=20&status=completed',
  ],
  supervisor: [
    '/engagement/team?limit=50&sort=need&order=asc',
    '/engagement/team?progress=stalled&limit=4',
    '/engagement/team?progress=finished&limit=4',
    '/users?limit=50',
    '/users/online?limit=500',
    '/playlists?limit=500',
  ],
  admin: ['/admin/user-counts', '/admin/failed-sign-ins', '/engagement/team?limit=1'],
  // The administrator's setup checklist, until it is closed.
  setup: ['/admin/system-status', '/admin/supervisors?limit=500', '/playlists?limit=500'],
}

/** The reads of a dashboard that need the answer of a first read. */
export const followingReads: Record<string, (answer: unknown) => readonly string[]> = {
  '/playlists/today': task => {
    const { id } = (task ?? {}) as { id?: string }
    return id ? [`/session/status?playlist_id=${id}`, `/engagement/watched/${id}`] : []
  },
}

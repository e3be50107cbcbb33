import type { ServiceName } from '@watchline/contracts/operation'

/** The service behind a prefix, and the checks before it. */
export interface RoutingRow {
  prefix: string
  service: ServiceName
  /** The gateway refuses calls without a session. The service decides what a session may do. */
  session: boolean
  /** Live streams: no time limit. */
  stream?: true
  /** Sign-in and setup: a stricter rate limit. */
  signIn?: true
  /**
   * The development provider: its own pages and forms, without sessions and anti-forgery tokens of
   * the API.
   */
  provider?: true
}

/** The routing table. The first matching prefix wins, so longer ones come first. */
export const routingTable: readonly RoutingRow[] = [
  { prefix: '/api/auth/options', service: 'auth', session: false },
  { prefix: '/api/auth/jwks', service: 'auth', session: false },
  { prefix: '/api/auth/privacy', service: 'auth', session: false },
  { prefix: '/api/auth/signin', service: 'auth', session: false },
  { prefix: '/api/auth/callback', service: 'auth', session: false },
  { prefix: '/api/auth/failure', service: 'auth', session: false },
  { prefix: '/api/auth/login', service: 'auth', session: false, signIn: true },
  { prefix: '/api/auth/refresh', service: 'auth', session: false },
  { prefix: '/api/auth/logout', service: 'auth', session: false },
  { prefix: '/api/auth/backchannel-logout', service: 'auth', session: false },
  { prefix: '/api/auth', service: 'auth', session: true },
  { prefix: '/api/admin/setup', service: 'auth', session: false, signIn: true },
  { prefix: '/api/admin/login', service: 'auth', session: false, signIn: true },
  { prefix: '/api/admin/accept-invitation', service: 'auth', session: false, signIn: true },
  { prefix: '/api/admin/logout', service: 'auth', session: false },
  { prefix: '/api/admin', service: 'auth', session: true },
  { prefix: '/api/users/online', service: 'playback-session', session: true },
  { prefix: '/api/users', service: 'auth', session: true },
  { prefix: '/api/groups', service: 'auth', session: true },
  { prefix: '/api/group-choices', service: 'auth', session: true },
  { prefix: '/api/group-claims', service: 'auth', session: true },
  { prefix: '/api/manager/share-playlist', service: 'playback-session', session: true },
  { prefix: '/api/manager/team-analytics', service: 'engagement', session: true },
  { prefix: '/api/manager', service: 'auth', session: true },
  { prefix: '/api/session', service: 'playback-session', session: true },
  { prefix: '/api/playlist-choices', service: 'playback-session', session: true },
  { prefix: '/api/playlists', service: 'playback-session', session: true },
  { prefix: '/api/supervisor/tasks', service: 'playback-session', session: true },
  { prefix: '/api/engagement', service: 'engagement', session: true },
  { prefix: '/api/comments', service: 'engagement', session: true },
  { prefix: '/api/notifications/unsubscribe', service: 'notification', session: false },
  { prefix: '/api/records/verify', service: 'engagement', session: false },
  { prefix: '/api/records/keys', service: 'engagement', session: false },
  { prefix: '/api/records', service: 'engagement', session: true },
  { prefix: '/api/notifications', service: 'notification', session: true },
  { prefix: '/api/stream', service: 'notification', session: true, stream: true },
  { prefix: '/api/chat', service: 'chat', session: true },
]

/** Only outside production, when no other provider is configured. */
export const providerRow: RoutingRow = { prefix: '/oidc', service: 'auth', session: false, provider: true }

/** Whether a path lies under a prefix; `/api/users` is not a prefix of `/api/users-of-others`. */
export function isUnder(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/')
}

/** The rows by the segment after `/api/`, because every call asks for its row. */
const rowsBySegment = Map.groupBy(routingTable, ({ prefix }) => segmentOf(prefix))

/** The row of a path; undefined when no service has it. */
export function findRow(path: string): RoutingRow | undefined {
  if (!isUnder(path, '/api')) return undefined
  return rowsBySegment.get(segmentOf(path))?.find(row => isUnder(path, row.prefix))
}

function segmentOf(path: string): string {
  const start = '/api/'.length
  const end = path.indexOf('/', start)
  return end === -1 ? path.slice(start) : path.slice(start, end)
}

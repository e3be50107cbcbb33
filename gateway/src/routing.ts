import type { ServiceName } from '@watchline/contracts/operation'

/** Where the calls under a prefix go. */
export interface Row {
  prefix: string
  service: ServiceName
  /** A call without a session is refused here. What a session may do is the service's to say. */
  session: boolean
  /** Calls that stay open: forwarded as a stream, without a limit on time. */
  stream?: true
  /** Sign-in and setup: a stricter limit on their rate. */
  signIn?: true
  /** The development provider: pages and forms of its own, outside the API's rules on sessions and anti-forgery tokens. */
  provider?: true
}

/** The routing table. The first prefix that fits counts, so what is more exact stands first. */
export const table: readonly Row[] = [
  { prefix: '/api/auth/options', service: 'auth', session: false },
  { prefix: '/api/auth/signin', service: 'auth', session: false },
  { prefix: '/api/auth/callback', service: 'auth', session: false },
  { prefix: '/api/auth/login', service: 'auth', session: false, signIn: true },
  { prefix: '/api/auth/refresh', service: 'auth', session: false },
  { prefix: '/api/auth/logout', service: 'auth', session: false },
  { prefix: '/api/auth', service: 'auth', session: true },
  { prefix: '/api/admin/setup', service: 'auth', session: false, signIn: true },
  { prefix: '/api/admin/login', service: 'auth', session: false, signIn: true },
  { prefix: '/api/admin/logout', service: 'auth', session: false },
  { prefix: '/api/admin', service: 'auth', session: true },
  { prefix: '/api/users/online', service: 'playback-session', session: true },
  { prefix: '/api/users', service: 'auth', session: true },
  { prefix: '/api/manager/share-playlist', service: 'playback-session', session: true },
  { prefix: '/api/manager/team-analytics', service: 'engagement', session: true },
  { prefix: '/api/manager', service: 'auth', session: true },
  { prefix: '/api/session', service: 'playback-session', session: true },
  { prefix: '/api/playlists', service: 'playback-session', session: true },
  { prefix: '/api/supervisor/tasks', service: 'playback-session', session: true },
  { prefix: '/api/engagement', service: 'engagement', session: true },
  { prefix: '/api/comments', service: 'engagement', session: true },
  { prefix: '/api/notifications', service: 'notification', session: true },
  { prefix: '/api/stream', service: 'notification', session: true, stream: true },
  { prefix: '/api/chat', service: 'chat', session: true },
]

/** Only outside production, while no other provider is configured. */
export const providerRow: Row = { prefix: '/oidc', service: 'auth', session: false, provider: true }

/** Whether a path lies under a prefix; `/api/users` is not a prefix of `/api/users-of-others`. */
export function isUnder(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/')
}

/** The row for a path; none for what nobody serves. */
export function rowFor(path: string): Row | undefined {
  return table.find(row => isUnder(path, row.prefix))
}

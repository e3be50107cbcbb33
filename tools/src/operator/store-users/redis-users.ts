import { createHash } from 'node:crypto'
import { type RedisUser, redisUsers } from './names.ts'

// The users of Redis, as lines of an ACL file for Redis 7 or newer. A user's name is that of its
// service. Source: redis.io/docs/latest/operate/oss_and_stack/management/security/acl

/** The keys that a user reads and writes, and those that it only reads, without the prefix. */
interface KeyRights {
  write: readonly string[]
  read: readonly string[]
}

const revocations = '{revocations}'
const locks = 'lock:*'
const presence = ['presence:*', '{online}*'] as const

/**
 * Besides change versions and counters of their own. The walls between the services
 * (`.dependency-cruiser.cjs`) say the same about the code: only playback-session writes the
 * monitoring lock, and only playback-session and the gateway write presence.
 */
const sharedKeys: Readonly<Record<Exclude<RedisUser, 'operator'>, KeyRights>> = {
  gateway: { write: presence, read: [revocations] },
  auth: { write: [revocations], read: [locks] },
  'playback-session': { write: [locks, ...presence], read: [revocations] },
  engagement: { write: [], read: [locks, revocations, ...presence] },
  notification: { write: [], read: [revocations] },
  chat: { write: [], read: [] },
}

/** Data commands by category; scripts cannot call more than these either. */
const dataCommands = '+@string +@hash +@set +@sortedset +@scripting -function -script +script|load +del +pexpire +pttl'
/** ioredis asks for INFO to learn that the server has loaded its data. */
const connectionCommands = '+@connection -@admin -@dangerous +info'

/** The whole ACL file. Without a password only `PING` works, which health checks use. */
export function redisAclFile(prefix: string, passwords: Readonly<Record<RedisUser, string>>): string {
  const lines = redisUsers.map(user => {
    const hash = createHash('sha256').update(passwords[user]).digest('hex')
    return `user ${user} on #${hash} resetchannels ${keyRules(user, prefix).join(' ')} -@all ${commandsOf(user)}`
  })
  return ['user default on nopass resetkeys resetchannels -@all +ping', ...lines, ''].join('\n')
}

function commandsOf(user: RedisUser): string {
  // A restore removes all keys.
  if (user === 'operator') return `${connectionCommands} +scan +unlink`
  return `${connectionCommands} ${dataCommands} +time`
}

function keyRules(user: RedisUser, keyPrefix: string): string[] {
  const prefix = keyPrefix.replace(/[*?[\]\\]/g, '\\$&')
  if (user === 'operator') return [`~${prefix}*`]
  const { write, read } = sharedKeys[user]
  return [
    `~${prefix}${user}:*`,
    ...write.map(pattern => `~${prefix}${pattern}`),
    ...read.map(pattern => `%R~${prefix}${pattern}`),
  ]
}

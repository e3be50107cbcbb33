import { randomBytes } from 'node:crypto'
import { brokerDefinitions, preparedMark } from '../operator/store-users/broker-definitions.ts'
import { brokerUsers, redisUsers } from '../operator/store-users/names.ts'
import { redisAclFile } from '../operator/store-users/redis-users.ts'
import type { ProcessName } from './system.ts'

interface Addresses {
  amqpUrl: string
  redisUrl: string
}

/**
 * The users of a RabbitMQ and a Redis that `make up` starts, with new passwords at each start, as
 * both stores load them at each start. Stores that the environment names keep their addresses:
 * their users are the operator's.
 */
export function createStoreUsers(env: NodeJS.ProcessEnv) {
  const exchange = env.AMQP_EXCHANGE || 'watchline'
  const prefix = env.REDIS_PREFIX || 'watchline:'
  const passwordsOf = <Name extends string>(names: readonly Name[]) =>
    Object.fromEntries(names.map(name => [name, randomBytes(24).toString('hex')])) as Record<Name, string>
  const brokerPasswords = passwordsOf(brokerUsers)
  const redisPasswords = passwordsOf(redisUsers)
  const definitions = brokerDefinitions(exchange, brokerPasswords)
  const withUser = (address: string, name: string, password: string) => {
    const url = new URL(address)
    url.username = name
    url.password = password
    return url.href
  }

  return {
    rabbitDefinitions: {
      ...definitions,
      exchanges: [...definitions.exchanges, ...preparedMark(exchange).exchanges],
      ...withoutGuest(definitions),
    },
    redisAclFile: redisAclFile(prefix, redisPasswords),
    /** Settings of every process. */
    env: env.AMQP_URL ? {} : { AMQP_SERVICE_USERS: 'true' },
    addressesOf: (name: ProcessName | 'operator', { amqpUrl, redisUrl }: Addresses): Addresses => ({
      amqpUrl: env.AMQP_URL ? amqpUrl : withUser(amqpUrl, name, brokerPasswords[name]),
      redisUrl: env.REDIS_URL ? redisUrl : withUser(redisUrl, name, redisPasswords[name]),
    }),
  }
}

/** Data folders of older versions have the user `guest` with all rights and a known password. */
function withoutGuest({ users, permissions }: ReturnType<typeof brokerDefinitions>) {
  const [{ hashing_algorithm }] = users as [(typeof users)[number]]
  return {
    users: [...users, { name: 'guest', password_hash: '', hashing_algorithm, tags: '' }],
    permissions: [...permissions, { user: 'guest', vhost: '/', configure: '^$', write: '^$', read: '^$' }],
  }
}

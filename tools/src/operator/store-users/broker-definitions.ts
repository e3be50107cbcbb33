import { createHash, randomBytes } from 'node:crypto'
import { type EventDeclaration, events, producersOf } from '@watchline/contracts/events'
import { defaultRetryDelaysMs } from '@watchline/kit/messaging/rabbitmq/rabbitmq-bus'
import { groupQueues, retryQueue, type Topology, topologyOf } from '@watchline/kit/messaging/rabbitmq/topology'
import { type BrokerUser, brokerUsers } from './names.ts'

// RabbitMQ needs these definitions before the services start, if each of them has a user of its own
// (AMQP_SERVICE_USERS): users, their rights, exchanges, queues and bindings. They follow from the
// event catalogue. The format is that of `rabbitmqctl import_definitions`.
// Source: rabbitmq.com/docs/definitions and rabbitmq.com/docs/access-control

const catalogue = Object.entries<EventDeclaration>(events)
const groups = [...new Set(catalogue.flatMap(([, { consumers }]) => consumers))]
const vhost = '/'

export interface BrokerDefinitions {
  users: { name: string; password_hash: string; hashing_algorithm: string; tags: string }[]
  vhosts: { name: string }[]
  permissions: { user: string; vhost: string; configure: string; write: string; read: string }[]
  topic_permissions: { user: string; vhost: string; exchange: string; write: string; read: string }[]
  exchanges: {
    name: string
    vhost: string
    type: string
    durable: boolean
    auto_delete: boolean
    internal: boolean
    arguments: object
  }[]
  queues: { name: string; vhost: string; durable: boolean; auto_delete: boolean; arguments: object }[]
  bindings: {
    source: string
    vhost: string
    destination: string
    destination_type: 'queue'
    routing_key: string
    arguments: object
  }[]
}

/** Everything but the mark that the broker is prepared: see `preparedMark`. */
export function brokerDefinitions(
  exchange: string,
  passwords: Readonly<Record<BrokerUser, string>>,
): BrokerDefinitions {
  const topology = topologyOf(exchange)
  const ownQueues = (group: string) => [
    ...groupQueues(topology, group),
    ...defaultRetryDelaysMs.map((_, index) => retryQueue(topology, group, index + 1)),
  ]
  const queues = groups.flatMap(ownQueues)
  const entries = queues.flatMap(({ name, entry }) => (entry ? [{ name, entry }] : []))
  const bind = (source: string, destination: string, routingKey: string) => ({
    source,
    vhost,
    destination,
    destination_type: 'queue' as const,
    routing_key: routingKey,
    arguments: {},
  })
  return {
    users: brokerUsers.map(name => ({
      name,
      password_hash: hashPassword(passwords[name]),
      hashing_algorithm: 'rabbit_password_hashing_sha256',
      tags: name === 'monitoring' || name === 'administrator' ? name : '',
    })),
    vhosts: [{ name: vhost }],
    permissions: brokerUsers.map(user => ({ user, vhost, ...permissionsOf(user, topology) })),
    topic_permissions: brokerUsers.map(user => ({ user, vhost, exchange, ...topicPermissionsOf(user) })),
    exchanges: [declareExchange(exchange, 'topic'), ...entries.map(({ entry }) => declareExchange(entry, 'fanout'))],
    queues: queues.map(queue => ({
      name: queue.name,
      vhost,
      durable: true,
      auto_delete: false,
      arguments: queue.arguments,
    })),
    bindings: [
      ...entries.map(({ name, entry }) => bind(entry, name, '')),
      ...catalogue.flatMap(([type, { consumers }]) =>
        consumers.map(group => bind(exchange, topology.queue(group), type)),
      ),
    ],
  }
}

/**
 * The exchange that tells services of this version that the broker is prepared for them. Imported
 * last, because services start to publish when they find it.
 */
export function preparedMark(exchange: string): Pick<BrokerDefinitions, 'exchanges'> {
  return { exchanges: [declareExchange(topologyOf(exchange).prepared, 'fanout')] }
}

function declareExchange(name: string, type: 'topic' | 'fanout') {
  return { name, vhost, type, durable: true, auto_delete: false, internal: false, arguments: {} }
}

/**
 * Regular expressions over the names of exchanges and queues. No user may declare lasting ones. A
 * service writes to its own retry and dead-letter exchanges and reads its own queue and dead
 * letters. Live subscribers declare a queue that the broker names, and which ends with their
 * connection.
 */
function permissionsOf(user: BrokerUser, topology: Topology) {
  const none = '^$'
  const exchange = escapeName(topology.exchange)
  const liveQueues = 'amq\\.gen-.*'
  if (user === 'administrator') return { configure: '.*', write: '.*', read: '.*' }
  if (user === 'monitoring') return { configure: none, write: none, read: none }
  // A redrive sends a dead letter to its group's queue through the default exchange. A restore
  // empties all queues.
  if (user === 'operator') return { configure: none, write: '^amq\\.default$', read: `^${exchange}\\..+$` }
  if (user === 'gateway')
    return { configure: `^${liveQueues}$`, write: `^${liveQueues}$`, read: `^(${exchange}|${liveQueues})$` }
  const own = `${exchange}\\.${escapeName(user)}`
  return {
    configure: `^${liveQueues}$`,
    write: `^(${exchange}|${own}\\.(dead|retry\\.[0-9]+)\\.entry|${liveQueues})$`,
    // Its dead letters too: an erasure removes a person's data from them.
    read: `^(${exchange}|${own}|${own}\\.dead|${liveQueues})$`,
  }
}

/** The types that a user may publish, and those that it may subscribe to. */
function topicPermissionsOf(user: BrokerUser) {
  if (user === 'administrator') return { write: '.*', read: '.*' }
  const typesOf = (select: (event: EventDeclaration) => boolean) =>
    catalogue.filter(([, event]) => select(event)).map(([type]) => type)
  return {
    write: anyOf(typesOf(event => (producersOf(event) as readonly string[]).includes(user))),
    read: anyOf(typesOf(({ consumers, liveSubscribers = [] }) => [...consumers, ...liveSubscribers].includes(user))),
  }
}

function anyOf(names: readonly string[]): string {
  return names.length > 0 ? `^(${names.map(escapeName).join('|')})$` : '^$'
}

function escapeName(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** RabbitMQ's salted SHA-256: the salt's four bytes, then the digest of salt and password. */
function hashPassword(password: string): string {
  const salt = randomBytes(4)
  return Buffer.concat([salt, createHash('sha256').update(salt).update(password).digest()]).toString('base64')
}

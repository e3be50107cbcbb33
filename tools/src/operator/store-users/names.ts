import { serviceNames } from '@watchline/contracts/operation'

/**
 * The users of RabbitMQ: the gateway, each service, the operator's commands, KEDA, which reads the
 * lengths of queues, and the administrator of the management page.
 */
export const brokerUsers = ['gateway', ...serviceNames, 'operator', 'monitoring', 'administrator'] as const
export type BrokerUser = (typeof brokerUsers)[number]

/** The users of Redis: the gateway, each service, and the operator's commands. */
export const redisUsers = ['gateway', ...serviceNames, 'operator'] as const
export type RedisUser = (typeof redisUsers)[number]

import { consumersOf } from '@watchline/contracts/events'
import { keepTrustingAuthority, readServerCertificate } from '../core/tls.ts'
import { createRedisLiveStore } from '../live/redis-live-store.ts'
import { createRabbitBus } from '../messaging/rabbitmq/rabbitmq-bus.ts'
import { createLogger } from '../observability/log.ts'
import { openTracing, type TracingConfig } from '../observability/tracing-open.ts'
import { type BaseConfig, ConfigError, serverTls } from './config.ts'
import type { Ports, Service } from './service-host.ts'
import { expectShortLivedObjects } from './short-lived-objects.ts'

type PortsConfig = Pick<
  BaseConfig,
  | 'amqpUrl'
  | 'amqpExchange'
  | 'amqpServiceUsers'
  | 'redisUrl'
  | 'redisPrefix'
  | 'tlsCaFile'
  | 'tlsCertFile'
  | 'tlsKeyFile'
> &
  TracingConfig

/** Opens the adapters of a service that has its own process: RabbitMQ and Redis. */
export async function openPorts(name: string, config: PortsConfig): Promise<Ports & { close(): Promise<void> }> {
  if (!config.amqpUrl) throw new ConfigError('AMQP_URL: nothing was given, accepted is an amqp:// address')
  if (!config.redisUrl) throw new ConfigError('REDIS_URL: nothing was given, accepted is a redis:// address')
  const log = createLogger(name, config.logLevel)
  // Both before the first connection, so that a wrong file is an error of the start.
  const tls = serverTls(config, log)
  if (tls) readServerCertificate(tls.files)
  const authority = config.tlsCaFile === undefined ? undefined : keepTrustingAuthority(config.tlsCaFile, log)
  const tracing = await openTracing(config, log)
  const bus = await createRabbitBus({
    url: config.amqpUrl,
    exchange: config.amqpExchange,
    hasServiceUsers: config.amqpServiceUsers,
    consumersOf,
    log,
  })
  const live = createRedisLiveStore({ url: config.redisUrl, prefix: config.redisPrefix, owner: name, log })
  const close = async () => {
    await bus.close()
    await live.close()
    await tracing?.close()
    authority?.stop()
  }
  return { bus, live, log, tracing, close }
}

/**
 * Starts the service, waits for SIGTERM or SIGINT, and stops it. A wrong setting ends the process
 * with one line. An uncaught error is logged and ends it too, because its state is unknown then.
 */
export async function runProcess(create: () => Promise<{ service: Service; close(): Promise<void> }>): Promise<void> {
  let name = 'watchline'
  const log = () => createLogger(name, 'info')
  const fatal = (error: unknown) => {
    if (error instanceof ConfigError) console.error(error.message)
    else log().fatal({ err: error }, 'the process ends')
    process.exit(1)
  }
  expectShortLivedObjects()
  process.on('uncaughtException', fatal)
  // Node's own listener writes plain text, but the log is JSON.
  process.removeAllListeners('warning')
  process.on('warning', warning => log().warn({ err: warning }, 'Node.js warns'))
  try {
    const { service, close } = await create()
    name = service.name
    let isStopping = false
    const stop = async () => {
      if (isStopping) return
      isStopping = true
      try {
        await service.stop()
        await close()
        process.exit(0)
      } catch (error) {
        fatal(error)
      }
    }
    process.once('SIGTERM', stop)
    process.once('SIGINT', stop)
    await service.start()
  } catch (error) {
    fatal(error)
  }
}

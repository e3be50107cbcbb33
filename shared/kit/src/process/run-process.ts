import { consumersOf } from '@watchline/contracts/events'
import { createRedisLiveStore } from '../live/redis-live-store.ts'
import { createRabbitBus } from '../messaging/rabbitmq/rabbitmq-bus.ts'
import { createLogger } from '../observability/log.ts'
import { openTracing, type TracingConfig } from '../observability/tracing-open.ts'
import { type BaseConfig, ConfigError } from './config.ts'
import type { Ports, Service } from './service-host.ts'

type PortsConfig = Pick<BaseConfig, 'amqpUrl' | 'amqpExchange' | 'redisUrl' | 'redisPrefix'> & TracingConfig

/** Opens the adapters a service of its own process stands on: RabbitMQ and Redis. */
export async function openPorts(name: string, config: PortsConfig): Promise<Ports & { close(): Promise<void> }> {
  if (!config.amqpUrl) throw new ConfigError('AMQP_URL: nothing was given, accepted is an amqp:// address')
  if (!config.redisUrl) throw new ConfigError('REDIS_URL: nothing was given, accepted is a redis:// address')
  const log = createLogger(name, config.logLevel)
  const tracing = await openTracing(config, log)
  const bus = await createRabbitBus({ url: config.amqpUrl, exchange: config.amqpExchange, consumersOf, log })
  const live = createRedisLiveStore({ url: config.redisUrl, prefix: config.redisPrefix, log })
  const close = async () => {
    await bus.close()
    await live.close()
    await tracing?.close()
  }
  return { bus, live, log, tracing, close }
}

/**
 * The life of a process: starts the service, waits for SIGTERM or SIGINT, stops it. A wrong setting ends it with one line. An
 * error nobody caught ends it too, after the log: whoever runs it starts it again in a known state.
 */
export async function runProcess(create: () => Promise<{ service: Service; close(): Promise<void> }>): Promise<void> {
  let name = 'watchline'
  const log = () => createLogger(name, 'info')
  const fatal = (error: unknown) => {
    if (error instanceof ConfigError) console.error(error.message)
    else log().fatal({ err: error }, 'the process ends')
    process.exit(1)
  }
  process.on('uncaughtException', fatal)
  // Node's own listener writes text among the JSON.
  process.removeAllListeners('warning')
  process.on('warning', warning => log().warn({ err: warning }, 'Node.js warns'))
  try {
    const { service, close } = await create()
    name = service.name
    let ending = false
    const end = async () => {
      if (ending) return
      ending = true
      try {
        await service.stop()
        await close()
        process.exit(0)
      } catch (error) {
        fatal(error)
      }
    }
    process.once('SIGTERM', end)
    process.once('SIGINT', end)
    await service.start()
  } catch (error) {
    fatal(error)
  }
}

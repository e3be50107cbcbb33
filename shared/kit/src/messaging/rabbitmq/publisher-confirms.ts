import type { ConfirmChannel, Message, Options } from 'amqplib'
import { EventBusUnavailable } from '../event-bus.ts'

const confirmTimeoutMs = 10_000

interface Pending {
  returned: boolean
  finish(error?: Error): void
}

export interface PublisherConfirms {
  /**
   * Resolves when RabbitMQ has confirmed the message and some queue took it. Otherwise, and if
   * there is no confirmation in time, rejects with EventBusUnavailable.
   */
  send(channel: ConfirmChannel, message: OutgoingMessage): Promise<void>
  /** Call it for each message that RabbitMQ returns, because no queue took it. */
  markReturned(message: Message): void
  rejectAll(error: Error): void
}

export interface OutgoingMessage {
  exchange: string
  key: string
  content: Buffer
  options: Options.Publish
}

/** The messages that wait for RabbitMQ's confirmation, by their correlation id. */
export function createPublisherConfirms(): PublisherConfirms {
  const pending = new Map<string, Pending>()
  let sequence = 0

  return {
    send(channel, { exchange, key, content, options }) {
      const correlationId = String(++sequence)
      return new Promise<void>((resolve, reject) => {
        const entry: Pending = {
          returned: false,
          finish(error) {
            if (!pending.delete(correlationId)) return
            clearTimeout(timer)
            error ? reject(error) : resolve()
          },
        }
        const timer = setTimeout(
          () => entry.finish(new EventBusUnavailable('RabbitMQ did not confirm in time')),
          confirmTimeoutMs,
        )
        pending.set(correlationId, entry)
        try {
          channel.publish(exchange, key, content, { ...options, persistent: true, correlationId }, error => {
            // An unroutable message is confirmed too; it was returned just before.
            if (error) entry.finish(new EventBusUnavailable(`RabbitMQ refused the event: ${error.message}`))
            else if (entry.returned) entry.finish(new EventBusUnavailable(`no queue took ${exchange} ${key}`))
            else entry.finish()
          })
        } catch (error) {
          entry.finish(new EventBusUnavailable(`RabbitMQ is away: ${(error as Error).message}`))
        }
      })
    },

    markReturned({ properties }) {
      const entry = pending.get(properties.correlationId)
      if (entry) entry.returned = true
    },

    rejectAll(error) {
      for (const entry of [...pending.values()]) entry.finish(error)
    },
  }
}

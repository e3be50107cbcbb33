import type { Channel, ChannelModel } from 'amqplib'
import { type BusLog, EventBusUnavailable, reasonOf } from '../event-bus.ts'
import { createListeners, openRecoveringConnection, type RecoveringConnection } from './connection.ts'
import type { Declarer, Topology } from './topology.ts'

/** Everything that receives messages, on one connection; restarted after a reconnect. */
export interface Receivers {
  /** `start` begins to consume on a new channel. Waits for it only while connected. */
  add(start: (channel: Channel, model: ChannelModel) => Promise<void>): Promise<Receiver>
  /** A short-lived channel. Messages without acknowledgement return to their queue. */
  withChannel<T>(work: (channel: Channel) => Promise<T>): Promise<T>
  onConnect(listener: () => void): void
  problem(): string | undefined
  close(): Promise<void>
}

export interface Receiver {
  /** False when deliveries of this channel must be given up: it was replaced or stopped. */
  isUsing(channel: Channel): boolean
  /** Does not start again; `finish` runs on the channel, if there is one, before it closes. */
  stop(finish: (channel: Channel) => Promise<unknown>): Promise<void>
}

interface ReceiverState {
  start(channel: Channel, model: ChannelModel): Promise<void>
  model?: ChannelModel
  started?: Promise<void>
  channel?: Channel
  stopped: boolean
}

const restartDelayMs = 500

export async function openReceivers(
  url: string,
  topology: Topology,
  declarer: Declarer,
  log: BusLog | undefined,
): Promise<Receivers> {
  const states = new Set<ReceiverState>()
  const connected = createListeners(log)
  // Undefined while the first connection is set up.
  let link: RecoveringConnection | undefined

  link = await openRecoveringConnection({
    url,
    name: `${topology.exchange} consumer`,
    log,
    setup,
    onConnect: connected.notify,
  })

  async function setup(model: ChannelModel): Promise<void> {
    const channel = await model.createChannel()
    channel.on('error', () => {})
    await declarer.exchange(channel)
    await channel.close()
    await Promise.all([...states].map(state => startOnce(state, model)))
  }

  /** Once for each connection, called by its setup or by `add`. */
  function startOnce(state: ReceiverState, model: ChannelModel): Promise<void> {
    if (state.model !== model || !state.started) {
      state.model = model
      state.started = open(state, model)
    }
    return state.started
  }

  async function open(state: ReceiverState, model: ChannelModel): Promise<void> {
    if (state.stopped) return
    const channel = await model.createChannel()
    channel.on('error', error => log?.warn({ reason: error.message }, 'RabbitMQ consuming channel failed'))
    state.channel = channel
    try {
      await state.start(channel, model)
    } catch (error) {
      channel.close().catch(() => {})
      throw error
    }
    channel.on('close', () => restartLater(state, model))
  }

  /**
   * The channel alone closed: its queue was removed, or a handler exceeded the broker's time limit.
   */
  function restartLater(state: ReceiverState, model: ChannelModel) {
    state.channel = undefined
    const restart = () => {
      if (state.stopped || link?.model !== model || state.model !== model) return
      state.started = open(state, model)
      state.started.catch(error => {
        log?.warn({ reason: reasonOf(error) }, 'consuming could not be resumed, reconnecting')
        if (link?.model === model) link.renew()
      })
    }
    setTimeout(restart, restartDelayMs * (0.5 + Math.random())).unref()
  }

  return {
    async add(start) {
      const state: ReceiverState = { start, stopped: false }
      states.add(state)
      const model = link.model
      if (model) {
        try {
          await startOnce(state, model)
        } catch (error) {
          // If the connection was lost, the next one starts it. Otherwise the broker refuses it.
          if (link.model === model) {
            states.delete(state)
            throw new EventBusUnavailable(`RabbitMQ refused the consumer: ${(error as Error).message}`)
          }
        }
      }
      return {
        isUsing: channel => !state.stopped && state.channel === channel,
        async stop(finish) {
          state.stopped = true
          states.delete(state)
          await state.started?.catch(() => {})
          const { channel } = state
          if (!channel) return
          try {
            await finish(channel)
            await channel.close()
          } catch {
            // The channel is closed, and the consumer with it.
          }
        },
      }
    },

    async withChannel(work) {
      const away = link.away()
      if (away || !link.model) throw new EventBusUnavailable(away ?? 'RabbitMQ is away')
      const channel = await link.model.createChannel()
      channel.on('error', () => {})
      try {
        return await work(channel)
      } finally {
        await channel.close().catch(() => {})
      }
    },

    onConnect: connected.add,
    problem: () => link.away(),
    close: () => link.close(),
  }
}

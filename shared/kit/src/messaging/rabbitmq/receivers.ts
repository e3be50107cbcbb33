import type { Channel, ChannelModel } from 'amqplib'
import { type BusLog, EventBusUnavailable, reasonOf } from '../event-bus.ts'
import { createListeners, openRecoveringConnection, type RecoveringConnection } from './connection.ts'
import { declareExchange, type Topology } from './topology.ts'

/** All that takes messages, on one connection, begun anew whenever the connection is. */
export interface Receivers {
  /** `start` begins to take on a fresh channel. Waits for it only while the broker is there. */
  add(start: (channel: Channel, model: ChannelModel) => Promise<void>): Promise<Receiver>
  /** A channel for a moment: what was taken on it and not acknowledged goes back. */
  withChannel<T>(work: (channel: Channel) => Promise<T>): Promise<T>
  onConnect(listener: () => void): void
  problem(): string | undefined
  close(): Promise<void>
}

export interface Receiver {
  /** False once deliveries of the channel cannot, or should not, be held any longer. */
  holds(channel: Channel): boolean
  /** Starts no more; `finish` runs on the channel, if there is one, before it closes. */
  stop(finish: (channel: Channel) => Promise<unknown>): Promise<void>
}

interface State {
  start(channel: Channel, model: ChannelModel): Promise<void>
  on?: ChannelModel
  started?: Promise<void>
  channel?: Channel
  stopped: boolean
}

const restartDelayMs = 500

export async function openReceivers(url: string, topology: Topology, log: BusLog | undefined): Promise<Receivers> {
  const states = new Set<State>()
  const connected = createListeners(log)
  // Not known yet while the first connection is set up.
  let link: RecoveringConnection | undefined

  link = await openRecoveringConnection({
    url,
    name: `${topology.exchange} consumer`,
    log,
    setup,
    onConnect: connected.tell,
  })

  async function setup(model: ChannelModel): Promise<void> {
    const channel = await model.createChannel()
    channel.on('error', () => {})
    await declareExchange(channel, topology)
    await channel.close()
    await Promise.all([...states].map(state => begin(state, model)))
  }

  /** Once a connection, whoever asks first: its setup, or the one who wants to receive. */
  function begin(state: State, model: ChannelModel): Promise<void> {
    if (state.on !== model || !state.started) {
      state.on = model
      state.started = open(state, model)
    }
    return state.started
  }

  async function open(state: State, model: ChannelModel): Promise<void> {
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
    channel.on('close', () => restart(state, model))
  }

  /** A channel alone was lost: its queue was removed, or a handler took longer than the broker allows. */
  function restart(state: State, model: ChannelModel) {
    state.channel = undefined
    const again = () => {
      if (state.stopped || link?.model !== model || state.on !== model) return
      state.started = open(state, model)
      state.started.catch(error => {
        log?.warn({ reason: reasonOf(error) }, 'could not consume again')
        if (link?.model === model) link.renew()
      })
    }
    setTimeout(again, restartDelayMs * (0.5 + Math.random())).unref()
  }

  return {
    async add(start) {
      const state: State = { start, stopped: false }
      states.add(state)
      const model = link.model
      if (model) {
        try {
          await begin(state, model)
        } catch (error) {
          // Lost with its connection: the next one starts it. Otherwise the broker refused it, and would again.
          if (link.model === model) {
            states.delete(state)
            throw new EventBusUnavailable(`RabbitMQ refused the consumer: ${(error as Error).message}`)
          }
        }
      }
      return {
        holds: channel => !state.stopped && state.channel === channel,
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
            // The channel is gone, and the consumer with it.
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

import { setTimeout as sleep } from 'node:timers/promises'
import { logout } from '@watchline/contracts/auth'
import { consumersOf } from '@watchline/contracts/events'
import {
  type AnyOperation,
  type BodyInputOf,
  fillPath,
  type QueryInputOf,
  type ResponseOf,
  serviceNames,
} from '@watchline/contracts/operation'
import { createTokenSigner } from '@watchline/identity/tokens'
import { createMemoryLiveStore } from '@watchline/kit/live/memory-live-store'
import { createInProcessBus } from '@watchline/kit/messaging/in-process/in-process-bus'
import { createLogger } from '@watchline/kit/observability/log'
import type { mongo } from 'mongoose'
import { readAuthConfig } from '../../../../services/auth/src/config.ts'
import { startServices } from '../../start/services.ts'
import { emailOf, organisation } from '../people.ts'
import { type DemoPlaylist, toSeededPlaylist } from '../playlists.ts'
import { createSimulatedClock, type SimulatedClock } from './timeline.ts'

/** Calls an operation as a person of the demo. Rejects if the answer is not a success. */
export type CallAs = <O extends AnyOperation>(
  account: string,
  operation: O,
  input?: { params?: Record<string, string>; query?: QueryInputOf<O>; body?: BodyInputOf<O> },
) => Promise<ResponseOf<O>>

/** The services in this process, on a clock of their own. */
export interface Simulation {
  clock: SimulatedClock
  call: CallAs
  /** The id of the person of an account. */
  idOf(account: string): string
  /** Adds a playlist without assignments and returns its id. */
  addPlaylist(playlist: DemoPlaylist): Promise<string>
  /** Sends the reminders whose time has come. */
  sendDueReminders(): Promise<unknown>
  /** Ends the sessions of all people. */
  signEverybodyOut(): Promise<void>
  /** Resolves when every event is consumed and every activity is in a notification. */
  waitUntilConsumed(): Promise<void>
  /** Rejects if a consumer has refused an event. */
  close(): Promise<void>
}

const consumptionLimitMs = 5 * 60_000
const countPauseMs = 20
/** A token lasts as long as the visit. */
const tokenLifetimeS = 24 * 3600
/** Without a call for this long, a visit has ended. */
const visitPauseMs = 3600_000

interface SignedIn {
  sid: string
  token: string
}

interface Visit {
  usedAt: number
  signedIn: Promise<SignedIn>
}

/**
 * Starts the services on a simulated clock, with an in-process bus and live store of their own, and
 * adds the people. The real system must not run on the same databases meanwhile.
 */
export async function startSimulation(
  env: NodeJS.ProcessEnv,
  { client, prefix, start }: { client: mongo.MongoClient; prefix: string; start: number },
): Promise<Simulation> {
  const clock = createSimulatedClock(start)
  const log = createLogger('demo', readAuthConfig(env).logLevel)
  const bus = createInProcessBus({ consumersOf, log })
  const live = createMemoryLiveStore()
  const stops: (() => Promise<void>)[] = []
  const stopAll = async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
    await bus.close()
    await live.close()
  }

  try {
    const { auth, playback, urls } = await startServices(env, { bus, live, clock, log }, stop => stops.push(stop))
    const ids = await auth.seed(organisation)
    const idOf = (account: string) => {
      const id = ids.get(emailOf(account))
      if (!id) throw new Error(`the demo has no account ${account}`)
      return id
    }
    const signer = createTokenSigner(readAuthConfig(env).tokenPrivateKey)
    const visits = new Map<string, Visit>()
    async function openSession(account: string, replacedSid: string | undefined): Promise<SignedIn> {
      const [personId, now] = [idOf(account), clock.now()]
      const sid = await auth.openSession(personId, replacedSid)
      const claims = { sub: personId, sid, ver: 1, authTimeMs: now }
      return { sid, token: signer.sign(claims, now, tokenLifetimeS) }
    }

    /** People sign in again when they come back after a while. */
    function signIn(account: string): Promise<SignedIn> {
      const now = clock.now()
      const last = visits.get(account)
      const isOpen = last !== undefined && now - last.usedAt < visitPauseMs
      const signedIn = isOpen
        ? last.signedIn
        : Promise.resolve(last?.signedIn).then(before => openSession(account, before?.sid))
      visits.set(account, { usedAt: now, signedIn })
      return signedIn
    }

    const call: CallAs = async (account, operation, { params, query, body } = {}) => {
      const { token } = await signIn(account)
      const url = new URL(`${urls[operation.service]}/api${fillPath(operation.path, params)}`)
      for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value))
      const response = await fetch(url, {
        method: operation.method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(operation.method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${operation.name} as ${account} failed: ${response.status} ${text}`)
      return operation.response.parse(JSON.parse(text))
    }

    const database = (service: string) => client.db(`${prefix}-${service}`)
    async function countWaiting(): Promise<number> {
      const counts = await Promise.all([
        ...serviceNames.map(name => database(name).collection('outbox').countDocuments({ pending: true })),
        database('notification').collection('happenings').countDocuments(),
      ])
      return counts.reduce((sum, count) => sum + count, 0)
    }

    async function waitUntilConsumed(): Promise<void> {
      const deadline = Date.now() + consumptionLimitMs
      // A consumer may publish another event between two counts of a round, so two must be quiet.
      for (let quietRounds = 0; quietRounds < 2; ) {
        quietRounds = (await countWaiting()) === 0 ? quietRounds + 1 : 0
        if (quietRounds > 0) continue
        if (Date.now() > deadline) throw new Error('the demo’s events were not consumed in time')
        await sleep(countPauseMs)
      }
    }

    async function close(): Promise<void> {
      const depths = await Promise.all(serviceNames.map(name => bus.depth(name)))
      await stopAll()
      if (depths.some(depth => depth && depth.dead > 0)) throw new Error('a service refused an event of the demo')
    }

    return {
      clock,
      call,
      idOf,
      waitUntilConsumed,
      signEverybodyOut: async () => {
        await Promise.all([...visits.keys()].map(account => call(account, logout)))
        await waitUntilConsumed()
      },
      close,
      sendDueReminders: playback.sendDueRemindersOnce,
      addPlaylist: async playlist => {
        const seeded = toSeededPlaylist(playlist, idOf, { assigned: false })
        await playback.seed([seeded])
        const stored = await database('playback-session')
          .collection('playlists')
          .findOne({ title: seeded.title, created_by: seeded.createdBy })
        return String(stored!._id)
      },
    }
  } catch (error) {
    await stopAll().catch(() => {})
    throw error
  }
}

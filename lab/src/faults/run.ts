import { mkdirSync } from 'node:fs'
import type { Log } from '../../../tools/src/provision/types.ts'
import type { ProcessName } from '../../../tools/src/up/system.ts'
import { createOrganisation, type Size } from '../shared/organisation.ts'
import {
  type CallLimits,
  createCallLog,
  drainLimitMs,
  patienceMs,
  usualCallLimits,
  type Violation,
} from './call-log.ts'
import { indexOutboxes } from './checks/events.ts'
import { createChecks } from './checks/run-checks.ts'
import { createMemberCaller } from './clients/load.ts'
import { assignPlaylist, createPlaylist } from './clients/playlists.ts'
import { startLoad } from './clients/start-load.ts'
import { type CycleFigures, runCycle } from './cycle.ts'
import { createFaultWorld } from './fault-world.ts'
import { createDraw, type Fault, listFaults } from './faults.ts'
import { createRandom } from './random.ts'
import { createStaleLockOwner, type StaleOwnerCounts } from './stale-lock-owner.ts'

export interface RunOptions {
  /** The folder of the servers' data and the logs. */
  folder: string
  cycles: number
  seed: number
  /** Words of targets or kinds. Empty for all faults. */
  only?: readonly string[]
  /** Exactly these kinds of faults, in this order, instead of random ones. */
  script?: readonly string[]
  size?: Size
  /** A longer recovery is a violation. */
  recoveryLimitMs?: number
  callLimits?: CallLimits
  /** The load lasts until this many writes are acknowledged, however slow the machine is. */
  minAcknowledged?: number
  replicas?: Partial<Record<ProcessName, number>>
  /** Multiplies the clients' usual pauses. */
  pauseFactor?: number
  /** A module that every process of the product preloads, to break it. */
  preload?: string
  /** The client log, one JSON object a line. */
  callLogFile?: string
  isInterrupted?: () => boolean
  log: Log
}

export interface RunFigures {
  seed: number
  cycles: CycleFigures[]
  violations: Violation[]
  counts: { requests: number; acknowledged: number; resends: number; unknown: number }
  staleOwners: StaleOwnerCounts
  events: number
  /** Restarts of all processes together. */
  restarts: number
  seconds: number
}

/** Enough people for a load of every operation on a small machine. */
export const usualSize: Size = { teams: 3, trainees: 3, rivals: 2, movers: 3, guests: 2 }
const usualReplicas = { gateway: 2, 'playback-session': 1, engagement: 2, chat: 2 } as const
/** The share of cycles with two faults at once. */
const overlapShare = 0.25
/** The promised limit for recovery without an operator. */
export const promisedMs = 15_000

/** Starts the system on its own servers, runs a load, and injects one fault after the other. */
export async function runFaults(options: RunOptions): Promise<RunFigures> {
  const { folder, cycles, seed, only = [], script, preload, callLogFile, isInterrupted, log } = options
  mkdirSync(folder, { recursive: true })
  const { recoveryLimitMs = promisedMs, callLimits = usualCallLimits, minAcknowledged = 0, pauseFactor = 1 } = options
  const random = createRandom(seed)
  const callLog = createCallLog({ file: callLogFile, limits: callLimits })
  const recordLine: Log = line => callLog.writeLine({ log: line, at: Date.now() })
  log('— servers, then gateway and services')
  const replicas = { ...usualReplicas, ...options.replicas }
  const world = await createFaultWorld({ folder, replicas, preload, log: recordLine })
  try {
    const { dispatcher, system } = world
    await indexOutboxes(world)
    const organisation = await createOrganisation(system.url, dispatcher, {
      ...(options.size ?? usualSize),
      limitMs: callLimits.callLimitMs,
    })
    const load = await startLoad(system.url, dispatcher, { organisation, callLog, pauseFactor })
    log(`— under load; seed ${seed}`)
    const startedAt = Date.now()
    const checks = createChecks({ world, load, callLog, organisation })
    const staleLockOwner = createStaleLockOwner(await prepareSubject(), callLog)
    const draw = createDraw(listFaults(staleLockOwner.inject), only, random)
    const cycleFigures: CycleFigures[] = []
    try {
      await waitForFirstService()
      for (let number = 1; number <= (script?.length ?? cycles) && !isInterrupted?.(); number += 1) {
        const faults = script ? findFault(script[number - 1]!) : drawFaults()
        const figures = await runCycle({
          faults,
          leadMs: random.between(0, 1_500),
          recoveryLimitMs,
          callLog,
          drainEvents: checks.drainEvents,
          runChecks: checks.checkNew,
        })
        cycleFigures.push(figures)
        log(
          `${String(number).padStart(4)} ${figures.kinds.join(' and ')}: ${inSeconds(figures.recoveredMs)} (${figures.slowestLane})${figures.violations > 0 ? `, ${figures.violations} violations` : ''}`,
        )
      }
      await waitForAcknowledged()
    } finally {
      log('— the load ends, the checks begin')
      await load.stop()
    }
    const { events } = await checks.checkAll()
    return {
      seed,
      cycles: cycleFigures,
      violations: callLog.violations,
      counts: callLog.counts,
      staleOwners: staleLockOwner.counts,
      events,
      restarts: Object.values(system.groups).reduce(
        (sum, group) => sum + group.replicas.reduce((restarts, replica) => restarts + replica.restarts, 0),
        0,
      ),
      seconds: (Date.now() - startedAt) / 1_000,
    }

    function drawFaults(): Fault[] {
      const first = draw(world)!
      const second = random.chance(overlapShare) ? draw(world, [first.target, 'stale-owner', 'redis']) : undefined
      // A second fault would make the outcome of a stale lock owner unclear.
      return second && first.target !== 'stale-owner' ? [first, second] : [first]
    }

    function findFault(kind: string): Fault[] {
      const entry = listFaults(staleLockOwner.inject).find(candidate => candidate.kind === kind)
      if (!entry) throw new Error(`there is no fault "${kind}"`)
      return [{ target: entry.target, kind, inject: entry.make(world, random) }]
    }

    /** Waits until every lane is served once, before the first fault. */
    async function waitForFirstService() {
      const now = Date.now()
      const watch = callLog.watchRecovery(now, now)
      const deadline = now + patienceMs
      while (callLog.waitingLanes(watch).length > 0 && Date.now() < deadline)
        await new Promise(resolve => setTimeout(resolve, 50))
      const waiting = callLog.waitingLanes(watch)
      if (waiting.length > 0) throw new Error(`not served before the first fault: ${waiting}`)
      await checks.drainEvents(Date.now(), drainLimitMs)
    }

    async function waitForAcknowledged() {
      const deadline = Date.now() + patienceMs
      while (callLog.counts.acknowledged < minAcknowledged && !isInterrupted?.())
        if (Date.now() > deadline) throw new Error(`only ${callLog.counts.acknowledged} writes were acknowledged`)
        else await new Promise(resolve => setTimeout(resolve, 50))
    }

    async function prepareSubject() {
      const rival = organisation.subject
      const { supervisor } = organisation.teams[0]!
      const call = createMemberCaller(load.clients, supervisor, 'playlists')
      const durationS = 3_600
      const video = { provider: 'file', id: 'long', url: '/media/long.webm', title: 'Long', duration: durationS }
      const playlist = await createPlaylist(load.clients, call, supervisor, [video])
      await assignPlaylist(load.clients, call, playlist.id, [rival.person])
      return { rival, playlistId: playlist.id, videoId: video.id, durationS }
    }
  } finally {
    await world.stop()
    await callLog.close()
  }
}

export const inSeconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

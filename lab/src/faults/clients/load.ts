import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from '@watchline/testing/browser'
import type { Member, Organisation } from '../../shared/organisation.ts'
import type { CallLog, CallOptions, CallRecord, Lane } from '../call-log.ts'
import type { ExpectedRecords } from '../expected-records.ts'

/** A playlist that a trainee has to watch. */
export interface Task {
  playlistId: string
  videos: { id: string; duration: number }[]
}

/** State that all clients share. */
export interface LoadClients {
  callLog: CallLog
  expectedRecords: ExpectedRecords
  organisation: Organisation
  /** The playlists that each trainee still has to watch. */
  tasks: Map<string, Task[]>
  /** Multiplies the usual pauses between two actions. */
  pauseFactor: number
  /** After an abort, clients finish their current action and stop. */
  stopping: AbortSignal
}

/** Repeats an action until the load stops. Every lane must be served again after every fault. */
export async function repeatUntilStopped(
  { callLog, stopping, pauseFactor }: LoadClients,
  lanes: readonly Lane[],
  usualEveryMs: number,
  action: () => Promise<void>,
): Promise<void> {
  const everyMs = usualEveryMs * pauseFactor
  for (const lane of lanes) callLog.openLane(lane)
  // Spreads the start of the clients.
  await pause(Math.random() * everyMs, stopping)
  while (!stopping.aborted) {
    const startedAt = Date.now()
    await action()
    await pause(everyMs * (0.7 + Math.random() * 0.6) - (Date.now() - startedAt), stopping)
  }
  for (const lane of lanes) callLog.closeLane(lane)
}

/** Waits, or returns early when the load stops. */
export async function pause(ms: number, stopping: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal: stopping }).catch(() => {})
}

type ExtraOptions = Omit<CallOptions, 'lane' | 'method' | 'path' | 'body'>

/** Returns a function that makes one person's calls. */
export function createCaller({ callLog }: LoadClients, browser: Browser, lane: Lane) {
  return (method: string, path: string, body?: unknown, options: ExtraOptions = {}): Promise<CallRecord> =>
    callLog.call(browser, { lane, method, path, body, ...options })
}

export function createMemberCaller(clients: LoadClients, { browser, name }: Member, area: Lane['area']) {
  return createCaller(clients, browser, { area, client: name })
}

/**
 * Fields with an unanswered write, which may still take effect. Clients do not write such a field
 * again while that is possible. Otherwise either write could be the last.
 */
export function createQuietPeriods({ limits }: Pick<CallLog, 'limits'>) {
  const until = new Map<string, number>()
  return {
    mayHaveUnansweredWrite: (field: string) => (until.get(field) ?? 0) > Date.now(),
    startIfUnanswered: (field: string, { attempts }: CallRecord) => {
      if (attempts.length > 1 || attempts.at(-1)!.status === 0) until.set(field, Date.now() + limits.unansweredMs)
    },
  }
}

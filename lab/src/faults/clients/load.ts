import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from '@watchline/testing/browser'
import type { Member, Organisation } from '../../shared/organisation.ts'
import type { CallLog, CallOptions, Entry, Lane } from '../call-log.ts'
import type { ExpectedRecords } from '../expected-records.ts'
import { unansweredMs } from '../possible-values.ts'

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
  /** When aborted, clients finish their current step and stop. */
  stopping: AbortSignal
}

/** Repeats a step until the load stops. Every lane must be served again after every fault. */
export async function repeatUntilStopped(
  { callLog, stopping }: LoadClients,
  lanes: readonly Lane[],
  everyMs: number,
  step: () => Promise<void>,
): Promise<void> {
  for (const lane of lanes) callLog.open(lane)
  // Spreads the start of the clients.
  await pause(Math.random() * everyMs, stopping)
  while (!stopping.aborted) {
    const begun = Date.now()
    await step()
    await pause(everyMs * (0.7 + Math.random() * 0.6) - (Date.now() - begun), stopping)
  }
  for (const lane of lanes) callLog.close(lane)
}

/** Waits, or returns early when the load stops. */
export async function pause(ms: number, stopping: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal: stopping }).catch(() => {})
}

type Rest = Omit<CallOptions, 'lane' | 'method' | 'path' | 'body'>

/** Returns a function that makes one person's calls. */
export function caller({ callLog }: LoadClients, browser: Browser, lane: Lane) {
  return (method: string, path: string, body?: unknown, rest: Rest = {}): Promise<Entry> =>
    callLog.call(browser, { lane, method, path, body, ...rest })
}

export function createMemberCaller(clients: LoadClients, { browser, name }: Member, area: Lane['area']) {
  return caller(clients, browser, { area, who: name })
}

/**
 * Fields with an unanswered write, which may still take effect. Clients do not write them again until
 * that is no longer possible, because either write could be the last.
 */
export function createQuietPeriods() {
  const until = new Map<string, number>()
  return {
    isResting: (place: string) => (until.get(place) ?? 0) > Date.now(),
    after: (place: string, { tries }: Entry) => {
      if (tries.length > 1 || tries.at(-1)!.status === 0) until.set(place, Date.now() + unansweredMs)
    },
  }
}

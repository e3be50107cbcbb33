import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from '@watchline/testing/browser'
import type { Member, Organisation } from '../../shared/organisation.ts'
import type { CallOptions, Entry, Journal, Lane } from '../call-log.ts'
import type { Books } from '../expected-records.ts'
import { unansweredMs } from '../possible-values.ts'

/** A playlist that somebody has to watch. */
export interface Task {
  playlistId: string
  videos: { id: string; duration: number }[]
}

/** What all clients share. */
export interface Crew {
  journal: Journal
  books: Books
  organisation: Organisation
  /** What each trainee has still to watch. */
  tasks: Map<string, Task[]>
  /** Clients finish what they are at. */
  stopping: AbortSignal
}

/** Does something again and again until the load stops; `lane` must be served again after every fault. */
export async function keepOn(
  { journal, stopping }: Crew,
  lanes: readonly Lane[],
  everyMs: number,
  step: () => Promise<void>,
): Promise<void> {
  for (const lane of lanes) journal.open(lane)
  // Not all in one moment.
  await pause(Math.random() * everyMs, stopping)
  while (!stopping.aborted) {
    const begun = Date.now()
    await step()
    await pause(everyMs * (0.7 + Math.random() * 0.6) - (Date.now() - begun), stopping)
  }
  for (const lane of lanes) journal.close(lane)
}

/** A while, or less when the load stops. */
export async function pause(ms: number, stopping: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal: stopping }).catch(() => {})
}

type Rest = Omit<CallOptions, 'lane' | 'method' | 'path' | 'body'>

/** Calls in somebody's name. */
export function caller({ journal }: Crew, browser: Browser, lane: Lane) {
  return (method: string, path: string, body?: unknown, rest: Rest = {}): Promise<Entry> =>
    journal.call(browser, { lane, method, path, body, ...rest })
}

export function callerOf(crew: Crew, { browser, name }: Member, area: Lane['area']) {
  return caller(crew, browser, { area, who: name })
}

/**
 * Places that may still be written by a call nobody had an answer to. Who would write them again now could be overtaken by it: as with
 * two people who do opposite things at once, either may be last.
 */
export function createRest() {
  const until = new Map<string, number>()
  return {
    isResting: (place: string) => (until.get(place) ?? 0) > Date.now(),
    after: (place: string, { tries }: Entry) => {
      if (tries.length > 1 || tries.at(-1)!.status === 0) until.set(place, Date.now() + unansweredMs)
    },
  }
}

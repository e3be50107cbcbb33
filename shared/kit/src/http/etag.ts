import { hash } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { type LiveStore, LiveStoreUnavailable } from '../live/live-store.ts'
import type { Person } from './caller.ts'
import type { RouteInput } from './route-input.ts'

/** What the answer of a read depends on, told before the read runs. */
export interface EtagVersions<Ctx> {
  /** Keys of the live store's versions. Whatever changes the answer raises one of them, by `tx.raise` or `live.versions.raise`. */
  // biome-ignore lint/suspicious/noExplicitAny: routes of every operation are listed together
  keys(input: RouteInput<any> & { person: Person }, ctx: Ctx): readonly string[] | Promise<readonly string[]>
  /**
   * How long, in ms, an unchanged answer may be repeated, for answers that grow old by themselves or hold what no key stands for;
   * it also bounds what a lost raise can cost. Five minutes unless said otherwise.
   */
  maxAgeMs?: number
}

const defaultFreshMs = 5 * 60_000

/**
 * The ETag of what the caller would be answered now: one round trip to the live store and nothing of MongoDB. It holds who asks, in
 * which role, for what, at which versions. Read before the answer is made, it can only be older than the answer, never newer.
 * Undefined while the live store is away: then there is the answer itself.
 */
export async function currentEtag<Ctx>(
  host: { live: LiveStore; clock: Clock; ctx: Ctx },
  { keys, maxAgeMs: freshMs = defaultFreshMs }: EtagVersions<Ctx>,
  // biome-ignore lint/suspicious/noExplicitAny: as above
  { operation, url, input }: { operation: string; url: string; input: RouteInput<any> },
): Promise<string | undefined> {
  const { person } = input
  if (!person) return undefined
  const versions = await host.live.versions.get(await keys({ ...input, person }, host.ctx)).catch(unlessAway)
  if (!versions) return undefined
  // Everybody's answers grow old at another moment.
  const age = Math.floor((host.clock.now() + offsetOf(person.id, freshMs)) / freshMs)
  const told = [operation, url, person.id, person.role, person.version, age, ...versions].join('\n')
  return `"${hash('sha1', told, 'base64url')}"`
}

function unlessAway(error: unknown): undefined {
  if (!(error instanceof LiveStoreUnavailable)) throw error
}

function offsetOf(id: string, within: number): number {
  let sum = 0
  for (let at = 0; at < id.length; at += 1) sum = (sum * 31 + id.charCodeAt(at)) % within
  return sum
}

/** Whether the caller has exactly this answer already (RFC 9110, 13.1.2; weak comparison). */
export function isFresh(tag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some(each => each.trim().replace(/^W\//, '') === tag)
}

import { hash } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { ignoreUnavailable, type LiveStore } from '../live/live-store.ts'
import type { Person } from './caller.ts'
import type { RouteInput } from './route-input.ts'

/** The versions that the answer of a read depends on, known before the read runs. */
export interface EtagVersions<Ctx> {
  /**
   * Keys of the live store's versions. Every change of the answer bumps one, by `tx.bumpVersions`
   * or `live.versions.bump`.
   */
  // biome-ignore lint/suspicious/noExplicitAny: routes of every operation are listed together
  keys(input: RouteInput<any> & { person: Person }, ctx: Ctx): readonly string[] | Promise<readonly string[]>
  /**
   * The longest time (ms) an answer counts as unchanged; default five minutes. It covers answers
   * that age by themselves or depend on something without a key, and bounds the harm of a lost
   * bump.
   */
  maxAgeMs?: number
}

const defaultMaxAgeMs = 5 * 60_000

/**
 * The ETag of the answer that the caller would get now: a hash of the caller, their role, the URL
 * and the versions. It costs one round trip to the live store and no query. It is read before the
 * answer is made, so it is never newer than the answer. Undefined for anonymous callers and while
 * the live store is unavailable; the route then answers without an ETag.
 */
export async function currentEtag<Ctx>(
  host: { live: LiveStore; clock: Clock; ctx: Ctx },
  { keys, maxAgeMs = defaultMaxAgeMs }: EtagVersions<Ctx>,
  // biome-ignore lint/suspicious/noExplicitAny: as above
  { operation, url, input }: { operation: string; url: string; input: RouteInput<any> },
): Promise<string | undefined> {
  const { person } = input
  if (!person) return undefined
  const versions = await host.live.versions.get(await keys({ ...input, person }, host.ctx)).catch(ignoreUnavailable)
  if (!versions) return undefined
  // Offset by person, so that the answers of all people do not expire at the same moment.
  const age = Math.floor((host.clock.now() + offsetOf(person.id, maxAgeMs)) / maxAgeMs)
  const content = [operation, url, person.id, person.role, person.version, age, ...versions].join('\n')
  return `"${hash('sha1', content, 'base64url')}"`
}

function offsetOf(id: string, within: number): number {
  let sum = 0
  for (let at = 0; at < id.length; at += 1) sum = (sum * 31 + id.charCodeAt(at)) % within
  return sum
}

/** Whether `If-None-Match` names this ETag. Source: RFC 9110, 13.1.2, weak comparison. */
export function matchesEtag(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some(candidate => candidate.trim().replace(/^W\//, '') === etag)
}

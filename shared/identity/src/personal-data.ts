import { limits } from '@watchline/contracts/limits'
import type { ServiceName } from '@watchline/contracts/operation'
import { endOfPersonalData, type PersonalDataKind, type PersonalDataLine } from '@watchline/contracts/privacy'
import type { Clock } from '@watchline/kit/core/clock'
import { fail } from '@watchline/kit/core/errors'
import { StreamReply } from '@watchline/kit/http/route'
import type { RateLimiter } from '@watchline/kit/live/rate-limit'
import type { Outbox } from '@watchline/kit/messaging/outbox'
import type { Person, PersonFinder } from './people.ts'

/** The data of a person that a service yields: kind and content, one after the other. */
export type PersonalDataParts = AsyncIterable<PersonalDataLine & { kind: PersonalDataKind }>

/** The rows of each kind, one kind after the other. */
export async function* readKinds<Kind extends PersonalDataKind>(
  rowsByKind: Record<Kind, AsyncIterable<unknown>>,
): PersonalDataParts {
  for (const kind of Object.keys(rowsByKind) as Kind[]) for await (const data of rowsByKind[kind]) yield { kind, data }
}

/** An export lists at most this many of a person's acts of one kind, the latest ones. */
export const maxOwnActs = 10_000

interface ExportDeps {
  service: ServiceName
  people: Pick<PersonFinder, 'find'>
  outbox: Outbox
  clock: Clock
  rateLimiter: RateLimiter
}

/** One person's exports from one service: each reads all that the service holds of somebody. */
const exportLimit = {
  max: limits.exportRateLimit,
  windowMs: limits.exportRateWindowMs,
  detail: 'You have made very many files in a short time. Please wait some minutes, then try again.',
}

/**
 * The person whose data a caller may read: their own, or anybody's for an administrator. That is
 * published, so that it appears in the audit log and in the person's own record. Fails with
 * `too_many` above the limit of the caller.
 */
export async function findExportedPerson(
  { service, people, outbox, clock, rateLimiter }: ExportDeps,
  caller: Person,
  userId: string | undefined,
): Promise<Person> {
  await rateLimiter.count(`data-exports:${service}:${caller.id}`, exportLimit)
  if (userId === undefined || userId === caller.id) return caller
  if (caller.role !== 'admin') fail('forbidden')
  const person = await people.find(userId, 0)
  if (!person || person.erasedAt) fail('not_found')
  const exported_at = new Date(clock.now()).toISOString()
  await outbox.transaction(async tx =>
    tx.publish('user.exported', person.id, { person_id: person.id, by: caller.id, service, exported_at }),
  )
  return person
}

/**
 * Streams the parts as lines of JSON. The last line marks the end, so that a reader recognises a
 * stream that broke off.
 */
export function streamPersonalData(parts: PersonalDataParts): StreamReply {
  async function* lines() {
    for await (const part of parts) yield `${JSON.stringify(part)}\n`
    yield `${JSON.stringify(endOfPersonalData)}\n`
  }
  return new StreamReply(lines(), { 'Content-Type': 'application/x-ndjson; charset=utf-8' })
}

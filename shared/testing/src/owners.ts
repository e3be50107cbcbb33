import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PersonSnapshot, Role } from '@watchline/contracts/people'
import { makePersonSnapshot } from './harness.ts'

/** What stands behind `/internal/<kind>`: rows by id (of several parts joined by `:`), or the answer to the parts of one. */
type Kind = ReadonlyMap<string, unknown> | ((...ids: string[]) => unknown)

/** The services that own what the one under test only projects: auth with its people, and what else a test names. */
export interface OwnerServices {
  url: string
  people: Map<string, PersonSnapshot>
  /** Somebody auth knows, of whom no event tells. */
  person(role?: Role, fields?: Partial<PersonSnapshot>): PersonSnapshot
  /** Auth's newer version of a person, of which no event tells. */
  change(person: { id: string }, fields: Partial<PersonSnapshot>): PersonSnapshot
  /** The paths that were asked for, in order. */
  asked: string[]
  /** While true, every answer is 503. */
  away: boolean
  close(): Promise<void>
}

/** Owners with internal routes as the real ones serve them: one row by its id, or a page of them in the order of their ids. */
export async function startOwnerServices(kinds: Record<string, Kind> = {}): Promise<OwnerServices> {
  const people: OwnerServices['people'] = new Map()
  const all: Record<string, Kind> = { people, ...kinds }
  const server = createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url!, 'http://owners')
    owners.asked.push(pathname)
    const [name, ...ids] = pathname.split('/').slice(2).map(decodeURIComponent)
    const kind = all[name!]
    const answer =
      typeof kind === 'function' ? kind(...ids) : ids.length > 0 ? kind?.get(ids.join(':')) : page(kind, searchParams)
    res.statusCode = owners.away ? 503 : answer ? 200 : 404
    res.setHeader('content-type', 'application/json').end(JSON.stringify(answer ?? {}))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const owners: OwnerServices = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    people,
    person: (role = 'user', fields = {}) => {
      const person = makePersonSnapshot({ role, ...fields })
      people.set(person.id, person)
      return person
    },
    change: ({ id }, fields) => {
      const before = people.get(id)!
      const changed = { ...before, ...fields, version: before.version + 1 }
      people.set(id, changed)
      return changed
    },
    asked: [],
    away: false,
    close: () => new Promise(resolve => server.close(() => resolve())),
  }
  return owners
}

function page(rows: ReadonlyMap<string, unknown> | undefined, asked: URLSearchParams): unknown[] | undefined {
  return (
    rows &&
    [...rows]
      .filter(([id]) => id > (asked.get('after') ?? ''))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .slice(0, Number(asked.get('limit')))
      .map(([, row]) => row)
  )
}

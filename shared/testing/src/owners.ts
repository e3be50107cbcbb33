import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type AnyInternalOperation,
  getAdminInvitation,
  getAssignmentSnapshot,
  getCompletion,
  getDueCalendar,
  getGroupSnapshot,
  getPersonSnapshot,
  getPlaylistSnapshot,
  getReportMail,
  getTeamDigest,
  type KeyPage,
  listAssignmentSnapshots,
  listChatRecords,
  listGroupMemberIds,
  listGroupsOfPeople,
  listLockIntervals,
  listPersonSnapshots,
  listPersonSnapshotsById,
  listPlaybackRecords,
  listPlaylistSnapshots,
  listWatchRecords,
  type RecordKind,
  type TeamDigest,
} from '@watchline/contracts/internal-operations'
import type { ParamsOf, QueryOf, ResponseOf } from '@watchline/contracts/operation'
import type { PersonSnapshot, Role } from '@watchline/contracts/people'
import type { AssignmentSnapshot, LockIntervalSnapshot, PlaylistSnapshot } from '@watchline/contracts/snapshots'
import { makePersonSnapshot } from './harness.ts'

/**
 * Stand-ins for the services with internal operations: they answer all of them from these maps.
 */
export interface OwnerServices {
  url: string
  people: Map<string, PersonSnapshot>
  playlists: Map<string, PlaylistSnapshot>
  /** By `personId:playlistId`. */
  assignments: Map<string, AssignmentSnapshot>
  /** By `personId:playlistId`. */
  completions: Set<string>
  /** The reset that engagement has applied, by `personId:playlistId`. */
  appliedResets: Map<string, string>
  /** By supervisor. */
  digests: Map<string, TeamDigest>
  /** The query of each call for a report, in order. */
  reportQueries: { due_at?: string | undefined; day?: string | undefined }[]
  /** By `reportId:recipientId`. Without an entry the report is deleted. */
  reportMails: Map<string, ResponseOf<typeof getReportMail>>
  /**
   * The ids of members, and of the people who may see the group. Without a name it has that of its
   * id.
   */
  groups: Map<string, { name?: string; members: string[]; viewers: string[] }>
  /** Of administrators, by the SHA-256 of the token. */
  adminInvitations: Map<string, ResponseOf<typeof getAdminInvitation>>
  /** Calendar files, by person and playlist. */
  calendars: Map<string, string>
  /** By person. */
  lockIntervals: Map<string, LockIntervalSnapshot[]>
  /** The ids of people who have not agreed to be monitored. */
  unmonitored: Set<string>
  /** By `operation:personId`. */
  records: Map<string, RecordKind[]>
  /** Adds a person whom no event has announced. */
  addPerson(role?: Role, fields?: Partial<PersonSnapshot>): PersonSnapshot
  /** Changes a person without an event. */
  changePerson(person: { id: string }, fields: Partial<PersonSnapshot>): PersonSnapshot
  /** The paths of all requests, in order. */
  requestedPaths: string[]
  /** While true, every answer is 503. */
  unavailable: boolean
  /** Every answer waits for it. */
  heldUntil: Promise<unknown>
  close(): Promise<void>
}

/** Starts the stand-ins on one free port. */
export async function startOwnerServices(): Promise<OwnerServices> {
  const people: OwnerServices['people'] = new Map()
  const playlists: OwnerServices['playlists'] = new Map()
  const assignments: OwnerServices['assignments'] = new Map()
  const lockIntervals: OwnerServices['lockIntervals'] = new Map()
  const unmonitored: OwnerServices['unmonitored'] = new Set()
  const completions: OwnerServices['completions'] = new Set()
  const appliedResets: OwnerServices['appliedResets'] = new Map()
  const records: OwnerServices['records'] = new Map()
  const digests: OwnerServices['digests'] = new Map()
  const reportMails: OwnerServices['reportMails'] = new Map()
  const adminInvitations: OwnerServices['adminInvitations'] = new Map()
  const calendars: OwnerServices['calendars'] = new Map()
  const groups: OwnerServices['groups'] = new Map()
  const answerRecords = (operation: typeof listChatRecords) =>
    respond(operation, ({ params }) => ({ records: records.get(`${operation.name}:${params.personId}`) ?? [] }))
  const responders = [
    respond(listPersonSnapshots, ({ query }) => pageOf(people, query)),
    respond(getPersonSnapshot, ({ params }) => people.get(params.id)),
    respond(listPersonSnapshotsById, ({ query: { ids } }) => ids.flatMap(id => people.get(id) ?? [])),
    respond(getAdminInvitation, ({ params }) => adminInvitations.get(params.tokenHash)),
    respond(listPlaylistSnapshots, ({ query }) => pageOf(playlists, query)),
    respond(getPlaylistSnapshot, ({ params }) => playlists.get(params.id)),
    respond(listAssignmentSnapshots, ({ query }) => pageOf(assignments, query)),
    respond(getAssignmentSnapshot, ({ params }) => assignments.get(`${params.personId}:${params.playlistId}`)),
    respond(getCompletion, ({ params }) => ({
      completed: completions.has(`${params.personId}:${params.playlistId}`),
      reset_at: appliedResets.get(`${params.personId}:${params.playlistId}`) ?? null,
    })),
    respond(getDueCalendar, ({ params }) => {
      const content = calendars.get(`${params.personId}:${params.playlistId}`)
      return content === undefined ? undefined : { content }
    }),
    respond(getTeamDigest, ({ params }) => digests.get(params.supervisorId) ?? { overdue: 0, due_soon: 0, tasks: [] }),
    respond(getReportMail, ({ params, query }) => {
      owners.reportQueries.push(query)
      return reportMails.get(`${params.reportId}:${params.recipientId}`) ?? { refusal: 'deleted' as const }
    }),
    respond(listGroupMemberIds, ({ params, query: { viewer_id, after, limit } }) => {
      const group = groups.get(params.id)
      if (!group || (viewer_id !== undefined && !group.viewers.includes(viewer_id))) return undefined
      return pageOf(new Map(group.members.map(id => [id, id])), { after, limit })
    }),
    respond(getGroupSnapshot, ({ params: { id }, query: { viewer_id } }) => {
      const group = groups.get(id)
      const isVisible = group && (viewer_id === undefined || group.viewers.includes(viewer_id))
      return isVisible ? { id, name: group.name ?? id } : undefined
    }),
    respond(listGroupsOfPeople, ({ query: { person_ids, viewer_id } }) =>
      [...groups].flatMap(([id, { name = id, members, viewers }]) => {
        const member_ids = members.filter(member => person_ids.includes(member))
        const isListed = member_ids.length > 0 && (viewer_id === undefined || viewers.includes(viewer_id))
        return isListed ? [{ id, name, member_ids }] : []
      }),
    ),
    respond(listLockIntervals, ({ params: { personId } }) =>
      unmonitored.has(personId) ? undefined : (lockIntervals.get(personId) ?? []),
    ),
    ...[listPlaybackRecords, listWatchRecords, listChatRecords].map(answerRecords),
  ]
  const server = createServer((req, res) => {
    const url = new URL(req.url!, 'http://owners')
    owners.requestedPaths.push(url.pathname)
    void owners.heldUntil.then(() => {
      const answer = responders.map(responder => responder(url)).find(found => found !== undefined)
      res.statusCode = owners.unavailable ? 503 : answer ? 200 : 404
      res.setHeader('content-type', 'application/json').end(JSON.stringify(answer ?? {}))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const owners: OwnerServices = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    people,
    playlists,
    assignments,
    completions,
    appliedResets,
    digests,
    reportMails,
    reportQueries: [],
    groups,
    adminInvitations,
    calendars,
    lockIntervals,
    unmonitored,
    records,
    addPerson: (role = 'user', fields = {}) => {
      const person = makePersonSnapshot({ role, ...fields })
      people.set(person.id, person)
      return person
    },
    changePerson: ({ id }, fields) => {
      const before = people.get(id)!
      const changed = { ...before, ...fields, version: before.version + 1 }
      people.set(id, changed)
      return changed
    },
    requestedPaths: [],
    unavailable: false,
    heldUntil: Promise.resolve(),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return owners
}

/** Answers the URLs of one operation; undefined for other URLs and for unknown entries. */
function respond<O extends AnyInternalOperation>(
  { path, params, query }: O,
  answer: (input: { params: ParamsOf<O>; query: QueryOf<O> }) => ResponseOf<O> | undefined,
) {
  const pattern = new RegExp(`^/internal${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
  return ({ pathname, searchParams }: URL): ResponseOf<O> | undefined => {
    const match = pattern.exec(decodeURIComponent(pathname))
    return match
      ? answer({ params: params?.parse(match.groups), query: query?.parse(Object.fromEntries(searchParams)) })
      : undefined
  }
}

function pageOf<T>(entries: ReadonlyMap<string, T>, { after, limit }: KeyPage): T[] {
  return [...entries]
    .filter(([key]) => key > after)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .slice(0, limit)
    .map(([, entry]) => entry)
}

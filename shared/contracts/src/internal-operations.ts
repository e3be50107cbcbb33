import { z } from 'zod'
import { id, idList, time } from './fields.ts'
import { limits } from './limits.ts'
import type { ParamsOf, QueryOf, ServiceName } from './operation.ts'
import { personSnapshot } from './people.ts'
import { report, reportStatus } from './reports.ts'
import { assignmentSnapshot, lockIntervalSnapshot, playlistSnapshot } from './snapshots.ts'

/**
 * A read between services. The gateway never forwards it, and the caller must prove which service
 * it is. `path` is relative to `/internal`, with parameters as `{name}`.
 */
export interface InternalOperation<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  readonly name: string
  /** The service that answers. */
  readonly service: ServiceName
  /** The services that may call it: those that need the answer. */
  readonly callers: readonly ServiceName[]
  readonly method: 'GET'
  readonly path: `/${string}`
  readonly params?: Params
  readonly query?: Query
  readonly response: Response
}

// biome-ignore lint/suspicious/noExplicitAny: the one type for internal operations of every shape
export type AnyInternalOperation = InternalOperation<any, any, any>

/** The input of a call: `params` and `query`, if the operation declares them. */
export type InternalInputOf<O extends AnyInternalOperation> = InputPart<'params', ParamsOf<O>> &
  InputPart<'query', QueryOf<O>>

type InputPart<Name extends string, Value> = undefined extends Value ? { [_ in Name]?: never } : { [_ in Name]: Value }

/** Returns the declaration unchanged; it exists for type inference. */
export function defineInternalOperation<
  Params extends z.ZodType = z.ZodType<undefined>,
  Query extends z.ZodType = z.ZodType<undefined>,
  Response extends z.ZodType = z.ZodType,
>(declaration: InternalOperation<Params, Query, Response>): InternalOperation<Params, Query, Response> {
  return declaration
}

/**
 * A page of a whole collection in ascending order of keys: at most `limit` entries with keys
 * greater than `after`. An empty `after` starts at the beginning. A page shorter than `limit` is
 * the last one. The longest key is that of an assignment: two ids and a colon.
 */
export const keyPage = z.object({
  after: z.string().max(150).default(''),
  limit: z.coerce.number().int().min(1).max(limits.internalPageMax).default(limits.pageDefault),
})
export type KeyPage = z.infer<typeof keyPage>

/** The services with a projection of people. */
const servicesWithPeople: readonly ServiceName[] = ['playback-session', 'engagement', 'notification', 'chat']

export const listPersonSnapshots = defineInternalOperation({
  name: 'listPersonSnapshots',
  service: 'auth',
  callers: servicesWithPeople,
  method: 'GET',
  path: '/people',
  query: keyPage,
  response: z.array(personSnapshot),
})

export const getPersonSnapshot = defineInternalOperation({
  name: 'getPersonSnapshot',
  service: 'auth',
  callers: servicesWithPeople,
  method: 'GET',
  path: '/people/{id}',
  params: z.object({ id }),
  response: personSnapshot,
})

/** Those of these people whom auth knows, in no order. */
export const listPersonSnapshotsById = defineInternalOperation({
  name: 'listPersonSnapshotsById',
  service: 'auth',
  callers: ['engagement'],
  method: 'GET',
  path: '/people-by-id',
  query: z.object({ ids: idList }),
  response: z.array(personSnapshot),
})

/**
 * The ids of the members of a group; for a manager as the viewer, only users of their teams.
 * Missing if there is no such group, or if the viewer may not filter by it. Without a viewer, every
 * group is found.
 */
export const listGroupMemberIds = defineInternalOperation({
  name: 'listGroupMemberIds',
  service: 'auth',
  callers: ['engagement'],
  method: 'GET',
  path: '/groups/{id}/members',
  params: z.object({ id }),
  query: keyPage.extend({ viewer_id: id.optional() }),
  response: z.array(id),
})

/** Missing as {@link listGroupMemberIds}. */
export const getGroupSnapshot = defineInternalOperation({
  name: 'getGroupSnapshot',
  service: 'auth',
  callers: ['engagement'],
  method: 'GET',
  path: '/groups/{id}',
  params: z.object({ id }),
  query: z.object({ viewer_id: id.optional() }),
  response: z.object({ id, name: z.string() }),
})

/**
 * The groups that have at least one of these people, by whose members the viewer may filter. For a
 * manager as the viewer, only users of their teams count; an unknown viewer has no groups. Without
 * a viewer, all groups.
 */
export const listGroupsOfPeople = defineInternalOperation({
  name: 'listGroupsOfPeople',
  service: 'auth',
  callers: ['engagement'],
  method: 'GET',
  path: '/groups-of-people',
  query: z.object({ person_ids: idList, viewer_id: id.optional() }),
  /** `member_ids`: those of the people who are members. */
  response: z.array(z.object({ id, name: z.string(), member_ids: z.array(id) })),
})

/**
 * The valid invitation of an administrator with this SHA-256 of its token, in hexadecimal digits.
 * Missing if there is none.
 */
export const getAdminInvitation = defineInternalOperation({
  name: 'getAdminInvitation',
  service: 'auth',
  callers: ['notification'],
  method: 'GET',
  path: '/admin-invitations/{tokenHash}',
  params: z.object({ tokenHash: z.string().regex(/^[0-9a-f]{64}$/) }),
  response: z.object({ id, name: z.string(), email: z.string(), invited_by_name: z.string(), expires_at: time }),
})

export const listPlaylistSnapshots = defineInternalOperation({
  name: 'listPlaylistSnapshots',
  service: 'playback-session',
  callers: ['engagement'],
  method: 'GET',
  path: '/playlists',
  query: keyPage,
  response: z.array(playlistSnapshot),
})

export const getPlaylistSnapshot = defineInternalOperation({
  name: 'getPlaylistSnapshot',
  service: 'playback-session',
  callers: ['engagement'],
  method: 'GET',
  path: '/playlists/{id}',
  params: z.object({ id }),
  response: playlistSnapshot,
})

/** Ordered by `personId:playlistId`, which is also the key of `after`. */
export const listAssignmentSnapshots = defineInternalOperation({
  name: 'listAssignmentSnapshots',
  service: 'playback-session',
  callers: ['engagement'],
  method: 'GET',
  path: '/assignments',
  query: keyPage,
  response: z.array(assignmentSnapshot),
})

export const getAssignmentSnapshot = defineInternalOperation({
  name: 'getAssignmentSnapshot',
  service: 'playback-session',
  callers: ['engagement', 'notification'],
  method: 'GET',
  path: '/assignments/{personId}/{playlistId}',
  params: z.object({ personId: id, playlistId: id }),
  response: assignmentSnapshot,
})

/**
 * The due date of an open task as a calendar file (iCalendar, RFC 5545). Missing if the task is
 * closed or has no due date.
 */
export const getDueCalendar = defineInternalOperation({
  name: 'getDueCalendar',
  service: 'playback-session',
  callers: ['notification'],
  method: 'GET',
  path: '/due-calendars/{personId}/{playlistId}',
  params: z.object({ personId: id, playlistId: id }),
  response: z.object({ content: z.string() }),
})

/**
 * The latest intervals in which login sessions of the person owned the monitoring lock, newest
 * first. Answers 404 if there is no recent one, and the person has not accepted the organisation's
 * notice about monitoring.
 */
export const listLockIntervals = defineInternalOperation({
  name: 'listLockIntervals',
  service: 'playback-session',
  callers: ['engagement'],
  method: 'GET',
  path: '/holds/{personId}',
  params: z.object({ personId: id }),
  response: z.array(lockIntervalSnapshot),
})

/** The kinds of records that a service may have of a person. */
export const recordKind = z.enum(['assignments', 'playlists', 'watching', 'comments', 'messages'])
export type RecordKind = z.infer<typeof recordKind>

const personRecords = z.object({ records: z.array(recordKind) })

/** Assignments, playlists and monitored sessions of the person. Empty for an unknown person. */
export const listPlaybackRecords = defineInternalOperation({
  name: 'listPlaybackRecords',
  service: 'playback-session',
  callers: ['auth'],
  method: 'GET',
  path: '/playback-records/{personId}',
  params: z.object({ personId: id }),
  response: personRecords,
})

/** Watch records and comments of the person. Empty for an unknown person. */
export const listWatchRecords = defineInternalOperation({
  name: 'listWatchRecords',
  service: 'engagement',
  callers: ['auth'],
  method: 'GET',
  path: '/watch-records/{personId}',
  params: z.object({ personId: id }),
  response: personRecords,
})

/** Whether the person has completed the playlist, at this moment. False for unknown ones. */
export const getCompletion = defineInternalOperation({
  name: 'getCompletion',
  service: 'engagement',
  callers: ['notification'],
  method: 'GET',
  path: '/completions/{personId}/{playlistId}',
  params: z.object({ personId: id, playlistId: id }),
  response: z.object({
    completed: z.boolean(),
    /** The last reset that engagement has applied: the completion is of the attempt after it. */
    reset_at: time.nullable().optional(),
  }),
})

/**
 * The open tasks of a supervisor's team that are now overdue or due within `limits.atRiskWithinMs`.
 * The answer counts all, and lists the first `limits.digestTasksMax` by due date.
 */
export const getTeamDigest = defineInternalOperation({
  name: 'getTeamDigest',
  service: 'engagement',
  callers: ['notification'],
  method: 'GET',
  path: '/team-digests/{supervisorId}',
  params: z.object({ supervisorId: id }),
  response: z.object({
    overdue: z.number().int(),
    /**
     * Past their due date, within the grace period. In answers of earlier versions, `due_soon`
     * counts them.
     */
    in_grace: z.number().int().optional(),
    due_soon: z.number().int(),
    tasks: z.array(
      z.object({ person_id: id, person_name: z.string(), playlist_id: id, playlist_title: z.string(), due: time }),
    ),
  }),
})
export type TeamDigest = z.infer<(typeof getTeamDigest)['response']>

/** The reason why a recipient does not get a saved report at this moment. */
const reportRefusal = z.enum(['deleted', 'no_recipient', 'owner_without_right', 'recipient_without_right'])

/**
 * A saved report as its recipient may see it now: the present figures of the people in the
 * recipient's scope.
 */
export const getReportMail = defineInternalOperation({
  name: 'getReportMail',
  service: 'engagement',
  callers: ['notification'],
  method: 'GET',
  path: '/report-mails/{reportId}/{recipientId}',
  params: z.object({ reportId: id, recipientId: id }),
  /**
   * The period counts from `day`, or else from the organisation's day of `due_at`: a late mail
   * shows that of its planned time.
   */
  query: z.object({ due_at: time.optional(), day: z.iso.date().optional() }),
  response: z.union([
    z.object({ refusal: reportRefusal }),
    report.pick({ period: true, total: true }).extend({
      name: z.string(),
      owner_name: z.string(),
      /**
       * The filters of the report, as the recipient may know them. A name is null if it is not
       * known, or not for the recipient. Absent in earlier versions.
       */
      filters: z
        .object({
          status: reportStatus,
          playlist_title: z.string().nullable(),
          group_name: z.string().nullable(),
          supervisor_name: z.string().nullable(),
          manager_name: z.string().nullable(),
        })
        .partial()
        .optional(),
      /** All rows; null if the file would be larger than `limits.reportMailMaxBytes`. */
      csv: z.object({ file_name: z.string(), content: z.string() }).nullable(),
    }),
  ]),
})
export type ReportRefusal = z.infer<typeof reportRefusal>
export type ReportMail = Exclude<z.infer<(typeof getReportMail)['response']>, { refusal: unknown }>

/** Messages from or to the person. Empty for an unknown person. */
export const listChatRecords = defineInternalOperation({
  name: 'listChatRecords',
  service: 'chat',
  callers: ['auth'],
  method: 'GET',
  path: '/chat-records/{personId}',
  params: z.object({ personId: id }),
  response: personRecords,
})

/** Every internal operation. */
export const internalOperations: readonly AnyInternalOperation[] = [
  listPersonSnapshots,
  getPersonSnapshot,
  listPersonSnapshotsById,
  listGroupMemberIds,
  getGroupSnapshot,
  listGroupsOfPeople,
  getAdminInvitation,
  listPlaylistSnapshots,
  getPlaylistSnapshot,
  listAssignmentSnapshots,
  getAssignmentSnapshot,
  getDueCalendar,
  listLockIntervals,
  listPlaybackRecords,
  listWatchRecords,
  getCompletion,
  getTeamDigest,
  getReportMail,
  listChatRecords,
]

import { z } from 'zod'
import { scopeFilter } from './engagement.ts'
import { id, idParams, line, quarterHour, success, time, timeZone } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'
import { staff } from './people.ts'
import { reportGrouping, reportPeriod, reportStatus } from './reports.ts'

const service = 'engagement'

/** The content of a saved report. Its days are those of the organisation. */
const reportChoice = z.object({
  by: reportGrouping,
  period: reportPeriod,
  /** Only tasks of this playlist. */
  playlist_id: id.optional(),
  status: reportStatus.optional(),
  /** Only the tasks of people who are members of this group at that time. */
  group_id: id.optional(),
  ...scopeFilter,
})
export type ReportChoice = z.infer<typeof reportChoice>

const localTimeOfDay = { time: quarterHour, time_zone: timeZone }

/**
 * The time at which a saved report is sent. Every month has the 28th. A local time that a clock
 * change skips counts by the clock before, and of one that it repeats the first one counts.
 */
const reportSchedule = z.discriminatedUnion('every', [
  z.object({ every: z.literal('day'), ...localTimeOfDay }),
  /** 1 is Monday, 7 is Sunday. */
  z.object({ every: z.literal('week'), weekday: z.number().int().min(1).max(7), ...localTimeOfDay }),
  z.object({ every: z.literal('month'), day: z.number().int().min(1).max(28), ...localTimeOfDay }),
])
export type ReportSchedule = z.infer<typeof reportSchedule>

const hasNoRepeats = (ids: readonly string[]) => new Set(ids).size === ids.length

const savedReportFields = {
  name: line(limits.savedReportNameMaxLength),
  ...reportChoice.shape,
  /** Null: it is sent only by hand. */
  schedule: reportSchedule.nullable().default(null),
  /** The owner, or staff in the owner's scope. Absent: the owner. */
  recipient_ids: z
    .array(id)
    .min(1, 'must name somebody')
    .max(limits.savedReportRecipientsMax, `must have at most ${limits.savedReportRecipientsMax} people`)
    .refine(hasNoRepeats, 'names a person twice')
    .optional(),
}

export const savedReport = reportChoice.extend({
  id,
  name: z.string(),
  owner: z.object({ id, name: z.string() }),
  /** The names of `supervisor_id` and `manager_id`. */
  supervisor_name: z.string().optional(),
  manager_name: z.string().optional(),
  schedule: reportSchedule.nullable(),
  /** Without people who are not known any more. */
  recipients: z.array(z.object({ id, name: z.string() })),
  /** Null without a schedule. */
  next_send_at: time.nullable(),
  /** Grows by one with every change. */
  version: z.number().int().min(1),
})
export type SavedReport = z.infer<typeof savedReport>

const savedReportResponse = z.object({ success: z.literal(true), report: savedReport })

export const createSavedReport = defineOperation({
  name: 'createSavedReport',
  service,
  method: 'POST',
  path: '/engagement/saved-reports',
  callers: staff,
  summary:
    'Saves a report for the caller, and sends it by its schedule. With a client_id, a repeated call saves it once. `conflict` if the caller has saved the most that one person can.',
  body: z.object({ client_id: z.uuid().optional(), ...savedReportFields }),
  response: savedReportResponse,
  status: 201,
  errors: ['forbidden', 'conflict', 'invalid', 'too_many', 'unavailable'],
})

export const listSavedReports = defineOperation({
  name: 'listSavedReports',
  service,
  method: 'GET',
  path: '/engagement/saved-reports',
  callers: staff,
  summary: 'The caller’s own saved reports, by name.',
  response: z.array(savedReport),
  errors: ['forbidden'],
})

export const getSavedReport = defineOperation({
  name: 'getSavedReport',
  service,
  method: 'GET',
  path: '/engagement/saved-reports/{id}',
  callers: staff,
  summary: 'A saved report of the caller, or one of which the caller is a recipient.',
  params: idParams,
  response: savedReport,
  errors: ['forbidden', 'not_found'],
})

export const updateSavedReport = defineOperation({
  name: 'updateSavedReport',
  service,
  method: 'PUT',
  path: '/engagement/saved-reports/{id}',
  callers: staff,
  summary: 'Replaces a saved report of the caller. `edited_elsewhere` if `version` is not the current one.',
  params: idParams,
  body: z.object({ version: z.number().int().min(1), ...savedReportFields }),
  response: savedReportResponse,
  errors: ['forbidden', 'not_found', 'edited_elsewhere', 'invalid', 'too_many', 'unavailable'],
})

export const sendSavedReport = defineOperation({
  name: 'sendSavedReport',
  service,
  method: 'POST',
  path: '/engagement/saved-reports/{id}/send',
  callers: staff,
  summary:
    'Sends a saved report of the caller to its recipients now; its schedule does not change. A repeated call with the same client_id sends it once. `conflict` if it has no recipients, and `too_many` within a minute of the last call.',
  params: idParams,
  body: z.object({ client_id: z.uuid() }),
  response: z.object({
    success: z.literal(true),
    /**
     * The number of recipients. Those who may not see the report, or who get no such mails, get
     * none.
     */
    recipients: z.number().int().min(1),
  }),
  status: 202,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid', 'too_many', 'unavailable'],
})

export const deleteSavedReport = defineOperation({
  name: 'deleteSavedReport',
  service,
  method: 'DELETE',
  path: '/engagement/saved-reports/{id}',
  callers: staff,
  summary: 'Deletes a saved report of the caller. It is sent no more.',
  params: idParams,
  response: success,
  errors: ['forbidden', 'not_found'],
})

import {
  getAssignmentSnapshot,
  getCompletion,
  getDueCalendar,
  getReportMail,
  getTeamDigest,
  type ReportMail,
  type ReportRefusal,
  type TeamDigest,
} from '@watchline/contracts/internal-operations'
import type { ResponseOf } from '@watchline/contracts/operation'
import { createInternalClient } from '@watchline/kit/http/internal-client'
import type { ServiceHost } from '@watchline/kit/process/service-host'
import type { NotificationConfig } from '../config.ts'
import type { TaskState } from '../rules/task-state.ts'

/** The planned time of a report, and the day from which its period counts, as far as known. */
interface ReportOccurrence {
  dueAt: string | undefined
  day: string | undefined
}

export interface TaskOwners {
  /** Undefined if the task is not assigned to the person. Rejects while an owner is unavailable. */
  findTask(personId: string, playlistId: string): Promise<TaskState | undefined>
  /**
   * The due date of the open task as a calendar file; undefined without one. Rejects while
   * playback-session is unavailable.
   */
  findCalendar(personId: string, playlistId: string): Promise<string | undefined>
  /**
   * A saved report as its recipient may see it now, or why not. Its period is that of `occurrence`.
   * Rejects while it cannot be made, for instance without engagement.
   */
  getReport(
    reportId: string,
    recipientId: string,
    occurrence: ReportOccurrence,
  ): Promise<ReportMail | { refusal: ReportRefusal }>
  /** The overdue tasks of a supervisor's team and those due soon. Rejects without engagement. */
  getDigest(supervisorId: string): Promise<TeamDigest>
}

/**
 * A report reads its whole scope. One of everybody that takes longer is found by the next attempt.
 */
const reportTimeoutMs = 20_000

/**
 * Asks playback-session for the assignment and engagement for the completion. An event about either
 * may still be on its way.
 */
export function createTaskOwners(
  { credentials, tracer }: ServiceHost,
  { playbackUrl, engagementUrl }: NotificationConfig,
): TaskOwners {
  const playback = createInternalClient({ url: playbackUrl, credentials, tracer })
  const engagement = createInternalClient({ url: engagementUrl, credentials, tracer })
  const reports = createInternalClient({ url: engagementUrl, credentials, tracer, timeoutMs: reportTimeoutMs })
  return {
    findCalendar: async (personId, playlistId) =>
      (await playback.find(getDueCalendar, { params: { personId, playlistId } }))?.content,
    getReport: (reportId, recipientId, { dueAt, day }) =>
      reports.call(getReportMail, {
        params: { reportId, recipientId },
        query: { ...(dueAt && { due_at: dueAt }), ...(day && { day }) },
      }),
    getDigest: supervisorId => engagement.call(getTeamDigest, { params: { supervisorId } }),
    findTask: async (personId, playlistId) => {
      const params = { personId, playlistId }
      const [assignment, completion] = await Promise.all([
        playback.find(getAssignmentSnapshot, { params }),
        engagement.call(getCompletion, { params }),
      ])
      return (
        assignment && {
          isCompleted: isCompletionOfPresentAttempt(completion, assignment.reset_at),
          override: assignment.override?.value?.kind,
          dueAt: assignment.due?.at ?? undefined,
        }
      )
    },
  }
}

/**
 * Engagement consumes a reset or a recurrence a moment after it has happened. Until then it answers
 * for the attempt before. Owners of earlier versions name no reset.
 */
function isCompletionOfPresentAttempt(
  { completed, reset_at: appliedReset }: ResponseOf<typeof getCompletion>,
  reset: string | null | undefined,
): boolean {
  if (!completed || !reset || appliedReset === undefined) return completed
  return appliedReset !== null && Date.parse(appliedReset) >= Date.parse(reset)
}

import { z } from 'zod'
import { taskOverride } from './assignments.ts'
import { conditions } from './conditions.ts'
import { direction, dueDate, id, idList, idParams, page, seconds, success, text, time, videoId } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'
import { emailVerified, role, staff } from './people.ts'

const service = 'engagement'

export const watchEventType = z.enum(['play', 'pause', 'playing', 'ended', 'playlist_completed'])
export type WatchEventType = z.infer<typeof watchEventType>

export const engagementRecord = z.object({
  id,
  user_id: id,
  playlist_id: id.optional(),
  video_id: z.string(),
  completion_rate: z.number().min(0).max(100),
  watch_time: seconds,
  last_updated: time,
  /**
   * Only in the dashboard's records. Absent in earlier versions, and for deleted people and videos.
   */
  user_name: z.string().optional(),
  video_title: z.string().optional(),
})
export type EngagementRecord = z.infer<typeof engagementRecord>

/** Start and end of a range, in seconds of the video. */
export const watchedRange = z.tuple([seconds, seconds])

/**
 * The reason why reports were not credited, how often, and for how many seconds. Notes are signals
 * for a supervisor, not verdicts.
 */
export const integrityNote = z.object({
  /** `unanswered`: an attention check; its seconds are 0. */
  code: z.enum(['skipped', 'too_fast', 'hidden', 'elsewhere', 'unanswered']),
  times: z.number().int(),
  seconds,
})

/** A person's credited watch time of one video. The trainee and all staff see the same figures. */
export const videoWatch = z.object({
  video_id: z.string(),
  title: z.string(),
  duration: seconds,
  unavailable: z.boolean(),
  /** The video is no longer in the playlist. It is shown and does not count in averages. */
  removed: z.boolean().optional(),
  completion_rate: z.number().min(0).max(100),
  completed: z.boolean(),
  completed_at: time.nullable(),
  /** All credited seconds, repeats included. */
  watch_time: seconds,
  watched: z.array(watchedRange),
  missing: z.array(watchedRange),
  notes: z.array(integrityNote),
  last_updated: time.nullable(),
  /**
   * The limits of the caller in their own open task without skipping ahead. Absent if everything
   * may be played, and in earlier versions.
   */
  reach: z
    .object({
      /** The furthest position. */
      until: seconds,
      /** Enough is watched to open the next video. */
      passed: z.boolean(),
    })
    .optional(),
})
export type VideoWatch = z.infer<typeof videoWatch>

/**
 * An occurrence of a recurring task that has ended, because the next one opened, or because the
 * task was assigned again after the completion had expired.
 */
export const endedOccurrence = z.object({
  due: dueDate,
  /** Null if it passed without opening, or if the assignment is older than records. */
  opened_at: time.nullable(),
  /** The earlier attempt of the same time is what was watched of it. */
  ended_at: time,
  outcome: z.enum(['completed', 'marked_done', 'exempt', 'missed']),
  /** Null if it was missed. */
  closed_at: time.nullable(),
  /** Only if it was completed, and if that expires: the due date of the next one. */
  valid_until: time.optional(),
  /**
   * Those of its completion, or at its end. Absent for the default ones, and in earlier versions.
   */
  conditions: conditions.optional(),
})
export type EndedOccurrence = z.infer<typeof endedOccurrence>

/** The occurrence of a recurring task that a person has now. */
export const presentOccurrence = z.object({
  /** Null if the history of the task does not begin with its assignment, as in old versions. */
  opened_at: time.nullable(),
  /** After the last change of the terms. */
  due: dueDate,
})
export type PresentOccurrence = z.infer<typeof presentOccurrence>

/** A change of the due date, the recurrence or the conditions of a task, with its reason. */
export const explainedChange = z.object({
  at: time,
  /** Null if the author is unknown. */
  by: taskOverride.shape.by,
  reason: z.string(),
  /** The due date from then on; null without one. */
  due: dueDate.nullable(),
})
export type ExplainedChange = z.infer<typeof explainedChange>

export const playlistWatch = z.object({
  playlist_id: id,
  title: z.string(),
  /** The credited share of all playable videos, weighted by duration. Percent. */
  completion_rate: z.number().min(0).max(100),
  /** By the required percentage of the task. It stays true if the playlist grows afterwards. */
  completed: z.boolean(),
  /**
   * The task is completed, and its playlist has by now a video that does not meet the required
   * percentage. Absent otherwise, and in earlier versions.
   */
  new_since_completion: z.literal(true).optional(),
  /** The required percentage of the caller’s own task. Absent if it is that of a video (90). */
  required_percent: z.number().int().optional(),
  completed_videos: z.number().int(),
  /** The number of playable videos. */
  total_videos: z.number().int(),
  /** All credited seconds, removed videos included. */
  watch_time: seconds,
  videos: z.array(videoWatch),
  /** The playlist was deleted. It is shown and does not count in averages. */
  deleted: z.boolean().optional(),
  /**
   * The person never had it as a task, so its completion has no certificate. Only in a person's
   * record. Absent otherwise, and in earlier versions.
   */
  never_assigned: z.literal(true).optional(),
  /**
   * Only in a person's record, and null if the task is open or completed. Absent in earlier
   * versions.
   */
  override: taskOverride.nullable().optional(),
  /**
   * The due date of an open task. Only in a person's record; absent without one, and in earlier
   * versions.
   */
  due: time.optional(),
  /** The end of the grace period of `due`; the task is overdue from then on. Absent without one. */
  grace_until: time.optional(),
  /** Only in a person's record. Absent for the default conditions, and in earlier versions. */
  conditions: conditions.optional(),
  /**
   * Ended occurrences of a recurring task, oldest first. Only in a person's record; absent without
   * one.
   */
  occurrences: z.array(endedOccurrence).optional(),
  /** Only in a person's record, and only of a recurring task after its first occurrence. */
  present_occurrence: presentOccurrence.optional(),
  /**
   * The changes of terms that have a reason, latest first. Only in a person's record; absent
   * without one.
   */
  explained_changes: z.array(explainedChange).optional(),
  /**
   * The attempts before each reset and each new occurrence of the task, latest first. They count
   * for the watch time of the person, and for nothing else. Absent in earlier versions and without
   * one.
   */
  earlier_attempts: z
    .array(
      z.object({
        /**
         * The time of the reset, its author, and the reason; `by` is null if the author is unknown.
         */
        ended_at: time,
        by: taskOverride.shape.by,
        reason: z.string(),
        /**
         * The due date of the occurrence, if it ended because the next one opened by itself, or
         * because the task was assigned again after its completion had expired. Absent after a
         * reset.
         */
        occurrence_due: dueDate.optional(),
        completion_rate: z.number().min(0).max(100),
        completed: z.boolean(),
        watch_time: seconds,
      }),
    )
    .optional(),
  /**
   * The fastest playback that is credited in full. Only in getWatched; absent in earlier versions:
   * 1.
   */
  max_playback_rate: z.number().positive().optional(),
})
export type PlaylistWatch = z.infer<typeof playlistWatch>

/**
 * The question whether a person is still watching. The server chooses its moment. Without an answer
 * in time, the player pauses.
 */
export const attentionCheck = z.object({
  id: z.uuid(),
  /** Whole seconds from this answer on; 0 when the time is over. */
  answer_within_s: z.number().int().min(0),
})
export type AttentionCheck = z.infer<typeof attentionCheck>

export const track = defineOperation({
  name: 'track',
  service,
  method: 'POST',
  path: '/engagement/track',
  callers: 'signed-in',
  summary: 'Reports the playback position at an event. A repeated event_id counts once.',
  body: z.object({
    playlist_id: id.optional(),
    video_id: videoId,
    watch_time: seconds,
    event_type: watchEventType,
    event_id: z.uuid().optional(),
    playback_rate: z.number().positive().max(16).default(1),
    client_time: time.optional(),
    /** The page was hidden while the reported part played. */
    hidden: z.boolean().default(false),
  }),
  response: z.object({
    success: z.literal(true),
    /**
     * The answer of getWatched after this report, but with the reported video alone. Absent in
     * earlier versions.
     */
    watched: playlistWatch.optional(),
    /** The attention check that waits for an answer. Absent without one. */
    attention_check: attentionCheck.optional(),
  }),
  errors: ['notice_unanswered', 'not_found', 'invalid', 'overloaded'],
})

export const getAttentionCheck = defineOperation({
  name: 'getAttentionCheck',
  service,
  method: 'GET',
  path: '/engagement/attention-checks',
  callers: 'signed-in',
  summary: 'The attention check that waits for the caller’s answer. A player shows it before the first report, too.',
  response: z.object({
    /** Absent without one. */
    attention_check: attentionCheck.optional(),
  }),
  errors: [],
})

export const answerAttentionCheck = defineOperation({
  name: 'answerAttentionCheck',
  service,
  method: 'POST',
  path: '/engagement/attention-checks/{id}',
  callers: 'signed-in',
  summary: 'Answers an attention check of the caller, or asks for more time. A repetition changes nothing.',
  params: z.object({ id: z.uuid() }),
  body: z.object({
    action: z.enum(['answer', 'extend']),
    /** Seconds since the person answered, by the device's clock. Absent: the person answers now. */
    age_s: seconds.optional(),
  }),
  response: z.object({
    success: z.literal(true),
    /** The check, if it still waits for an answer. */
    attention_check: attentionCheck.optional(),
  }),
  errors: ['not_found', 'invalid'],
})

export const getWatched = defineOperation({
  name: 'getWatched',
  service,
  method: 'GET',
  path: '/engagement/watched/{playlistId}',
  callers: 'signed-in',
  summary: 'The caller’s credited watch time of a playlist, video by video.',
  params: z.object({ playlistId: id }),
  response: playlistWatch,
  errors: ['not_found'],
})

/**
 * The state of a person's assigned videos. stalled: some are unfinished, and for
 * `limits.stalledAfterMs` there was no activity, and the earliest open task is as old.
 */
export const memberProgress = z.enum(['nothing_assigned', 'finished', 'under_way', 'stalled'])
export type MemberProgress = z.infer<typeof memberProgress>

/**
 * The states of which teamAnalytics has a count, and getTeam the people. overdue: the due date of
 * an uncompleted task has passed, whatever their progress.
 */
export const listedProgress = z.enum(['finished', 'stalled', 'overdue'])
export type ListedProgress = z.infer<typeof listedProgress>

/** One person of a team as the analytics show them. */
export const memberAnalytics = z.object({
  user_id: id,
  name: z.string(),
  email: z.string(),
  email_verified: emailVerified,
  picture: z.string().nullable(),
  supervisor_id: id.nullable(),
  /**
   * The credited share of all assigned playable videos, weighted by duration. Whole percent,
   * truncated.
   */
  completion_rate: z.number().min(0).max(100),
  watch_time: seconds,
  completed_videos: z.number().int(),
  total_videos: z.number().int(),
  last_activity: time.nullable(),
  /** The number of integrity notes. */
  notes: z.number().int(),
  /** Absent in earlier versions. */
  progress: memberProgress.optional(),
  /** Tasks that are not completed and whose due date has passed. Absent in earlier versions. */
  overdue_tasks: z.number().int().optional(),
  /**
   * Tasks that superiors marked as done by hand, and tasks that are not required. Absent in earlier
   * versions.
   */
  marked_done_tasks: z.number().int().optional(),
  exempt_tasks: z.number().int().optional(),
  /**
   * The credited parts of all assigned playable videos, as shares of their whole length (0 to 1).
   * The videos stand end to end, in the order of the latest assignment. Absent in earlier versions.
   */
  credited_parts: z
    .array(z.tuple([z.number().min(0).max(1), z.number().min(0).max(1)]))
    .max(limits.creditedPartsMax)
    .optional(),
})
export type MemberAnalytics = z.infer<typeof memberAnalytics>

/**
 * The reasons why an open task is at risk. overdue: its due date has passed. behind: it is due
 * within `limits.atRiskWithinMs`, at least `limits.paceFromShare` of its time between assignment
 * and due date has passed, and the credited share is smaller than the passed share. That time
 * begins again with a change of the due date. not_started: nothing of it is credited
 * `limits.notStartedAfterMs` after the assignment. A later reset counts as the assignment.
 */
export const riskReason = z.enum(['overdue', 'behind', 'not_started'])
export type RiskReason = z.infer<typeof riskReason>

/** Numbers of tasks; a task with two reasons counts for both. */
const riskCounts = z.object({ overdue: z.number().int(), behind: z.number().int(), not_started: z.number().int() })

export const teamAnalytics = z.object({
  /** The number of people in the whole scope. */
  team_count: z.number().int(),
  /** The rounded mean of the completion rates of all people in the scope. */
  average_completion: z.number().min(0).max(100),
  /** Assigned playlists, counted once for each person in the scope. Absent in earlier versions. */
  assignments: z.number().int().optional(),
  /** The numbers of people in the scope on each list. Absent in earlier versions. */
  finished_count: z.number().int().optional(),
  /** Those of them who have a task that was marked as done by hand. Absent in earlier versions. */
  finished_by_hand_count: z.number().int().optional(),
  stalled_count: z.number().int().optional(),
  overdue_count: z.number().int().optional(),
  /**
   * The numbers of open tasks at risk, by reason (see listTasksAtRisk). Absent in earlier versions.
   */
  tasks_at_risk: riskCounts.optional(),
  members: z.array(memberAnalytics),
})
export type TeamAnalytics = z.infer<typeof teamAnalytics>

/** Narrows the scope of directors and administrators; others get `forbidden`. */
export const scopeFilter = {
  /** Only this supervisor's team; it decides if manager_id is requested too. */
  supervisor_id: id.optional(),
  /** Only the teams of this manager's supervisors. */
  manager_id: id.optional(),
}

export const getTeam = defineOperation({
  name: 'getTeam',
  service,
  method: 'GET',
  path: '/engagement/team',
  callers: staff,
  summary:
    'The people in the caller’s scope, by name unless another order is asked for, with completion and watch time.',
  query: page.extend({
    search: text(limits.nameMaxLength).optional(),
    /** Only these people, without paging: ids separated by commas. Unknown ids are left out. */
    user_ids: idList.optional(),
    /**
     * Only people in this state. The state of people may be as old as the counts; people who have
     * left it since are left out.
     */
    progress: listedProgress.optional(),
    ...scopeFilter,
    /**
     * `need`: those who need attention first: with overdue tasks, low completion and notes. Names
     * decide between equals. Orders other than that by name may be as old as the counts. A cursor
     * belongs to its order.
     */
    sort: z.enum(['name', 'need', 'completion', 'watch_time', 'activity']).default('name'),
    order: direction.default('asc'),
  }),
  response: teamAnalytics,
  errors: ['forbidden', 'invalid'],
})

/** An open task at risk. `due` is null without a due date; `assigned_at` if its time is unknown. */
export const taskAtRisk = z.object({
  user_id: id,
  name: z.string(),
  email: z.string(),
  email_verified: emailVerified,
  picture: z.string().nullable(),
  playlist_id: id,
  playlist_title: z.string(),
  assigned_at: time.nullable(),
  due: time.nullable(),
  /** The end of the grace period; the task is overdue from then on. Absent without one. */
  grace_until: time.nullable().optional(),
  /** The credited share of all playable videos, weighted by duration. Percent. */
  completion_rate: z.number().min(0).max(100),
  reasons: z.array(riskReason).min(1),
})
export type TaskAtRisk = z.infer<typeof taskAtRisk>

/** due: as without an order. name: of the person. playlist: its title. */
export const riskSort = z.enum(['due', 'name', 'playlist', 'completion'])
export type RiskSort = z.infer<typeof riskSort>

export const listTasksAtRisk = defineOperation({
  name: 'listTasksAtRisk',
  service,
  method: 'GET',
  path: '/engagement/at-risk',
  callers: staff,
  summary:
    'The open tasks at risk in the caller’s scope: those that are due first, then those without a due date by their assignment, unless another order is asked for. The counts are those of all filters but the reason.',
  query: page.extend({
    reason: riskReason.optional(),
    playlist_id: id.optional(),
    /** Only tasks that are due between these times, both included. */
    due_from: time.optional(),
    due_until: time.optional(),
    /** A part of the person's name. */
    search: text(limits.nameMaxLength).optional(),
    /** Only tasks of people who are members of this group now. */
    group_id: id.optional(),
    ...scopeFilter,
    /** Due dates decide between equals. A cursor belongs to its order. */
    sort: riskSort.default('due'),
    order: direction.default('asc'),
  }),
  response: z.object({
    counts: riskCounts.extend({ tasks: z.number().int(), people: z.number().int() }),
    /** The state may be as old as the counts; tasks that are not at risk any more are left out. */
    tasks: z.array(taskAtRisk),
  }),
  errors: ['forbidden', 'not_found', 'invalid', 'unavailable'],
})

/** A supervisor's team as a whole. */
export const teamFigures = z.object({
  supervisor_id: id,
  name: z.string(),
  email: z.string(),
  email_verified: emailVerified,
  picture: z.string().nullable(),
  manager_id: id.nullable(),
  team_count: z.number().int(),
  /** The rounded mean of the members' completion rates; null without members. */
  average_completion: z.number().min(0).max(100).nullable(),
  watch_time: seconds,
  completed_videos: z.number().int(),
  total_videos: z.number().int(),
})
export type TeamFigures = z.infer<typeof teamFigures>

export const listTeams = defineOperation({
  name: 'listTeams',
  service,
  method: 'GET',
  path: '/engagement/teams',
  callers: ['manager', 'director', 'admin'],
  summary: 'The supervisors in the caller’s scope, by name, with the figures of their teams.',
  query: page,
  response: z.array(teamFigures),
  errors: ['forbidden', 'invalid'],
})

export const getMember = defineOperation({
  name: 'getMember',
  service,
  method: 'GET',
  path: '/engagement/members/{userId}',
  callers: staff,
  summary:
    'One person in the caller’s scope: each assigned or watched playlist, with watched ranges and integrity notes.',
  params: z.object({ userId: id }),
  response: z.object({ member: memberAnalytics, playlists: z.array(playlistWatch) }),
  errors: ['forbidden', 'not_found'],
})

export const getOwnRecord = defineOperation({
  name: 'getOwnRecord',
  service,
  method: 'GET',
  path: '/engagement/record',
  callers: 'signed-in',
  summary: 'All that the caller watched, as their superiors see it, and the number of their comments.',
  response: z.object({ playlists: z.array(playlistWatch), comments: z.number().int() }),
})

export const exportOwnRecord = defineOperation({
  name: 'exportOwnRecord',
  service,
  method: 'GET',
  path: '/engagement/record/export',
  callers: 'signed-in',
  summary: 'All that the caller watched as CSV (UTF-8 with BOM), one line for each video.',
  response: z.null(),
  mediaType: 'text/csv',
  errors: ['too_many'],
})

export const getTeamHistory = defineOperation({
  name: 'getTeamHistory',
  service,
  method: 'GET',
  path: '/engagement/history',
  callers: staff,
  summary:
    'The average completion and the completed videos in the caller’s scope at the end of each of the last days, oldest first. Days before the team began are left out.',
  query: z.object({ days: z.coerce.number().int().min(1).max(366).default(30), ...scopeFilter }),
  response: z.array(
    z.object({
      date: z.iso.date(),
      completed_videos: z.number().int(),
      /** Rounded, so it may be 0 although something was watched. */
      completion_rate: z.number().min(0).max(100),
      /** Anything was credited until the end of the day. Absent in earlier versions. */
      credited: z.boolean().optional(),
    }),
  ),
  errors: ['forbidden', 'invalid'],
})

export const exportTeam = defineOperation({
  name: 'exportTeam',
  service,
  method: 'GET',
  path: '/engagement/export',
  callers: staff,
  summary: 'The caller’s scope as CSV (UTF-8 with BOM), one line for each person and video.',
  query: z.object(scopeFilter),
  response: z.null(),
  mediaType: 'text/csv',
  errors: ['forbidden', 'invalid', 'too_many'],
})

export const getEngagementDashboard = defineOperation({
  name: 'getEngagementDashboard',
  service,
  method: 'GET',
  path: '/engagement/dashboard',
  callers: staff,
  summary: 'The engagement records of the caller’s scope, latest first; person by person if the scope is everybody.',
  query: page.extend(scopeFilter),
  response: z.array(engagementRecord),
  errors: ['forbidden', 'invalid'],
})

export const getTeamAnalytics = defineOperation({
  name: 'getTeamAnalytics',
  service,
  method: 'GET',
  path: '/manager/team-analytics',
  callers: ['manager'],
  summary: 'The manager’s supervisors and teams with their engagement.',
  query: page.extend({
    /** none: without records, for pages that show figures only. */
    engagements: z.enum(['all', 'none']).default('all'),
  }),
  response: z.object({
    users: z.array(memberAnalytics.loose().extend({ id })),
    engagements: z.array(engagementRecord),
    total_users: z.number().int(),
    active_users: z.number().int(),
    /** As in getTeam. Absent in earlier versions. */
    average_completion: z.number().min(0).max(100).optional(),
  }),
  errors: ['forbidden', 'invalid'],
})

/** The review of a comment, by the author's supervisor. */
export const commentReview = z.object({
  approved: z.boolean(),
  /** The reviewer's words; may be empty. */
  comment: z.string(),
  user_name: z.string(),
  user_role: role,
  reviewed_at: time,
})
export type CommentReview = z.infer<typeof commentReview>

const commentFields = z.object({
  id,
  comment: z.string(),
  timestamp: seconds,
  user_name: z.string(),
  user_role: role,
  created_at: time,
  /** Absent before the review. Only its author receives a rejected comment. */
  review: commentReview.optional(),
  /** 1, and one more for each edit; `editComment` names the one that it changes. */
  revision: z.number().int().min(1).optional(),
  /** The time of the last edit. */
  edited_at: time.optional(),
  /** A superior hid the comment. Only its author and those who may hide it receive it. */
  hidden: z.object({ user_name: z.string(), user_role: role, hidden_at: time }).optional(),
  /** The acts that the caller may perform on the comment now. Absent: no. */
  may_edit: z.literal(true).optional(),
  may_delete: z.literal(true).optional(),
  may_hide: z.literal(true).optional(),
})

export const comment = commentFields.extend({
  /** The author deleted a comment that has replies: it has no text of its own any more. */
  deleted: z.literal(true).optional(),
  may_reply: z.literal(true).optional(),
  /** The replies that the caller may see, oldest first. A reply has no replies. */
  replies: z.array(commentFields).optional(),
})
export type Reply = z.infer<typeof commentFields>
export type Comment = z.infer<typeof comment>

export const listComments = defineOperation({
  name: 'listComments',
  service,
  method: 'GET',
  path: '/comments/{playlistId}/{videoId}',
  callers: 'signed-in',
  summary: 'The comments on a video that the caller may see, by timestamp. A rejected comment is only for its author.',
  params: z.object({ playlistId: id, videoId }),
  query: page,
  response: z.array(comment),
  errors: ['not_found'],
})

export const addComment = defineOperation({
  name: 'addComment',
  service,
  method: 'POST',
  path: '/comments',
  callers: 'signed-in',
  summary: 'Adds a comment at a second of a video, or a reply to a comment. A reply cannot be answered.',
  body: z.object({
    playlist_id: id,
    video_id: videoId,
    timestamp: seconds,
    comment: text(limits.commentMaxLength, 1),
    /** A repeated call with the same id returns the stored comment. */
    client_id: z.uuid().optional(),
    /** The comment that this one answers. A reply belongs to the second of that comment. */
    reply_to: id.optional(),
  }),
  response: z.object({ success: z.literal(true), comment }),
  errors: ['not_found', 'invalid', 'conflict', 'too_many'],
})

export const editComment = defineOperation({
  name: 'editComment',
  service,
  method: 'PUT',
  path: '/comments/{id}',
  callers: 'signed-in',
  summary: 'Changes the text of the caller’s own comment, until somebody answers it.',
  params: idParams,
  body: z.object({
    comment: text(limits.commentMaxLength, 1),
    /** The revision that the author changes. Repeating an accepted edit is harmless. */
    revision: z.number().int().min(1),
  }),
  response: z.object({ success: z.literal(true), comment }),
  errors: ['not_found', 'already_reviewed', 'edited_elsewhere', 'invalid', 'too_many'],
})

export const deleteComment = defineOperation({
  name: 'deleteComment',
  service,
  method: 'DELETE',
  path: '/comments/{id}',
  callers: 'signed-in',
  summary: 'Deletes the caller’s own comment and its text. A pending review of it is withdrawn.',
  params: idParams,
  response: success,
  errors: ['not_found'],
})

export const hideComment = defineOperation({
  name: 'hideComment',
  service,
  method: 'PUT',
  path: '/comments/{id}/hidden',
  callers: ['supervisor', 'manager', 'director', 'admin'],
  summary: 'Hides a comment of one of the caller’s people, or shows it again. Its author still sees it.',
  params: idParams,
  body: z.object({ hidden: z.boolean() }),
  response: z.object({ success: z.literal(true), comment }),
  errors: ['forbidden', 'not_found', 'invalid'],
})

import { z } from 'zod'
import { recordedConditions } from './conditions.ts'
import { endedOccurrence, integrityNote, presentOccurrence, watchedRange } from './engagement.ts'
import { dueDate, id, overrideAction, overrideKind, seconds, taskEndCause, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'
import { role, staff } from './people.ts'
import { recurrence } from './recurrence.ts'

const service = 'engagement'

/** The index of a person in the record's list of people. */
const personIndex = z.number().int().min(0)

/**
 * `recurrence` is absent if the task does not repeat, and `conditions` if they are the default or
 * as before.
 */
const recordedTerms = {
  due: dueDate.nullable(),
  recurrence: recurrence.optional(),
  conditions: recordedConditions.nullable().optional(),
}

/** `reason` is absent without one. */
const dueChange = z.object({
  ...{ at: time, by: personIndex.nullable() },
  ...recordedTerms,
  reason: z.string().optional(),
})

/** The reason why the assignment ended. Absent if a person unassigned it, and if it is unknown. */
const endCause = { ended_cause: z.enum([...taskEndCause.options, 'playlist_deleted']).optional() }

/**
 * One time that the task was assigned. Null stands for what versions before records did not keep.
 */
const recordedAssignment = z.object({
  assigned_at: time.nullable(),
  assigned_by: personIndex.nullable(),
  /** The terms at first; `due` is null without a due date. */
  ...recordedTerms,
  /** Later due dates, oldest first. */
  due_changes: z.array(dueChange),
  /** Null while the person has the task. */
  ended_at: time.nullable(),
  /** Null with `ended_at` if it ended without a person’s decision, or if the author is unknown. */
  ended_by: personIndex.nullable(),
  ...endCause,
})
export type RecordedAssignment = z.infer<typeof recordedAssignment>

/** A superior's decision that closes the task without its videos. It is never watched time. */
const recordedOverride = z.object({ kind: overrideKind, at: time, by: personIndex.nullable(), reason: z.string() })

/** A superior's decision about the task, also one that was taken back. */
const recordedException = z.object({ action: overrideAction, at: time, by: personIndex.nullable(), reason: z.string() })
export type RecordedException = z.infer<typeof recordedException>

const recordedVideo = z.object({
  video_id: z.string(),
  title: z.string(),
  length: seconds,
  unavailable: z.boolean(),
  /** The video is no longer in the playlist. */
  removed: z.boolean(),
  completion_rate: z.number().min(0).max(100),
  completed: z.boolean(),
  completed_at: time.nullable(),
  /** All credited seconds, repeats included. */
  watch_time: seconds,
  /** The sum of the ranges. */
  credited_seconds: seconds,
  /** Those of them that were credited in the period. */
  credited_in_period: seconds,
  ranges: z.array(watchedRange),
  notes: z.array(integrityNote),
})
export type RecordedVideo = z.infer<typeof recordedVideo>

/** The sums over the videos, without earlier attempts. */
const recordedFigures = z.object({ watch_time: seconds, credited_seconds: seconds, credited_in_period: seconds })
export type RecordedFigures = z.infer<typeof recordedFigures>

const occurrenceCount = z.number().int().min(0)

/**
 * The figures with the attempts before each reset and each new occurrence, and the numbers of ended
 * occurrences by outcome.
 */
const allAttempts = z.object({
  credited_seconds: seconds,
  credited_in_period: seconds,
  completed_occurrences: occurrenceCount,
  marked_done_occurrences: occurrenceCount,
  exempt_occurrences: occurrenceCount,
  missed_occurrences: occurrenceCount,
})
export type AllAttempts = z.infer<typeof allAttempts>

/**
 * Of tasks and members absent without an earlier attempt or an ended occurrence: then the figures
 * without it are the same. Absent in documents of versions before.
 */
const optionalAllAttempts = { all_attempts: allAttempts.optional() }

/**
 * The watching before a reset or a new occurrence: the exception or the occurrence of the same time
 * says why it ended.
 */
const recordedAttempt = recordedFigures.extend({
  ended_at: time,
  /**
   * The due date of the occurrence that it is of. Absent if a reset ended it, and in documents of
   * versions before.
   */
  occurrence_due: dueDate.optional(),
  completion_rate: z.number().min(0).max(100),
  completed: z.boolean(),
  /** Only those that were watched. */
  videos: z.array(recordedVideo),
})
export type RecordedAttempt = z.infer<typeof recordedAttempt>

const recordedSession = z.object({
  started_at: time.nullable(),
  /** Null while the session is open. */
  ended_at: time.nullable(),
  reason: z.enum(['released', 'taken_over', 'signed_out', 'expired']).nullable(),
})
export type RecordedSession = z.infer<typeof recordedSession>

const recordedTask = recordedFigures.extend({
  playlist_id: id,
  title: z.string(),
  /** The playlist was deleted. */
  deleted: z.boolean(),
  /** Oldest first; empty if the person watched without an assignment. */
  assignments: z.array(recordedAssignment),
  /** Null if the task is open or completed by watching. */
  override: recordedOverride.nullable(),
  /** Oldest first. */
  exceptions: z.array(recordedException),
  /** By watching. */
  completed: z.boolean(),
  completed_at: time.nullable(),
  /** The time at which the completion expires. Absent if it does not. */
  valid_until: time.optional(),
  /** As on every screen: the credited share of all playable videos, weighted by length. Percent. */
  completion_rate: z.number().min(0).max(100),
  completed_videos: z.number().int(),
  total_videos: z.number().int(),
  videos: z.array(recordedVideo),
  /**
   * Ended occurrences that were open or were closed at any moment of the period, oldest first.
   * Absent without one.
   */
  occurrences: z.array(endedOccurrence).optional(),
  /**
   * Absent if the task does not repeat or the person does not have it now, and in documents of
   * versions before.
   */
  present_occurrence: presentOccurrence.optional(),
  /**
   * The attempts before each reset and each new occurrence, latest first. The figures of the task
   * do not contain them, `all_attempts` does.
   */
  earlier_attempts: z.array(recordedAttempt),
  ...optionalAllAttempts,
  /** Monitored sessions in the period, oldest first. */
  sessions: z.array(recordedSession),
})
export type RecordedTask = z.infer<typeof recordedTask>

/**
 * The sums over the tasks. The watch time and `all_attempts` contain earlier attempts, the other
 * figures do not.
 */
const recordTotals = recordedFigures.extend({
  tasks: z.number().int(),
  completed_tasks: z.number().int(),
  marked_done_tasks: z.number().int(),
  exempt_tasks: z.number().int(),
  videos: z.number().int(),
  completed_videos: z.number().int(),
  sessions: z.number().int(),
  /** Absent in documents of versions before. */
  ...optionalAllAttempts,
})

const recordFields = z.object({
  format: z.literal('watchline.record.1'),
  /** The time zone of the dates of the period. All times are UTC. */
  time_zone: z.string(),
  /** Both dates are included; null stands for no bound. */
  period: z.object({ from: z.iso.date().nullable(), until: z.iso.date().nullable() }),
  /** The person whose record it is. */
  person: personIndex,
  tasks: z.array(recordedTask),
  totals: recordTotals,
})

/** A member's task in the record of a group. The record of the person has the details. */
const memberTask = recordedFigures.extend({
  playlist_id: id,
  /** The latest assignment; null as in records of people. */
  assigned_at: time.nullable(),
  assigned_by: personIndex.nullable(),
  /** The present terms, or the last ones. */
  ...recordedTerms,
  /** Null while the person has the task. */
  ended_at: time.nullable(),
  ...endCause,
  /** Null if the task is open or completed by watching. Its reason is with the person. */
  override: recordedOverride.omit({ reason: true }).nullable(),
  /** By watching. */
  completed: z.boolean(),
  completed_at: time.nullable(),
  /** The time at which the completion expires. Absent if it does not. */
  valid_until: time.optional(),
  completion_rate: z.number().min(0).max(100),
  completed_videos: z.number().int(),
  total_videos: z.number().int(),
  /** Ended occurrences, oldest first. Absent without one. */
  occurrences: z.array(endedOccurrence).optional(),
  /** The number of monitored sessions in the period. */
  sessions: z.number().int(),
  /** As in records of people. */
  present_occurrence: presentOccurrence.optional(),
  ...optionalAllAttempts,
})
export type MemberTask = z.infer<typeof memberTask>

/**
 * The figures are the sums over the tasks. The watch time and `all_attempts` contain earlier
 * attempts.
 */
const memberRecord = recordedFigures.extend({
  person: personIndex,
  tasks: z.array(memberTask),
  ...optionalAllAttempts,
})
export type MemberRecord = z.infer<typeof memberRecord>

const groupRecordFields = z.object({
  format: z.literal('watchline.group_record.1'),
  time_zone: z.string(),
  period: recordFields.shape.period,
  /** The only task of the record; null for all. */
  playlist_id: id.nullable(),
  group: z.object({ id, name: z.string() }),
  /**
   * The members of the group at the time of issue, of managers, too. `left_out` are those whose
   * records the issuer may not see, and those who are not trainees.
   */
  members: z.object({ at: z.literal('issue'), total: z.number().int(), left_out: z.number().int() }),
  /**
   * One of the parts of a long record: `left_out`, `records` and `totals` are those of this part.
   * Each member is in exactly one part, which follows from their id (see `findRecordPart`). Absent
   * of a record that is not divided.
   */
  part: z.object({ number: z.number().int().min(1), of: z.number().int().min(2) }).optional(),
  playlists: z.array(recordedTask.pick({ playlist_id: true, title: true, deleted: true })),
  /** The other members, by name, also those without a task. */
  records: z.array(memberRecord),
  totals: recordTotals,
})

/** The reason why a superior changed the terms of a task, or decided an exception. */
const recordedReason = z.object({
  playlist_id: id,
  about: z.enum(['terms', ...overrideAction.options]),
  at: time,
  by: personIndex.nullable(),
  reason: z.string(),
})
export type RecordedReason = z.infer<typeof recordedReason>

/**
 * A person that a record names. `reasons`: only of members in records of groups, by task. They
 * stand here, and not with the tasks, because an erasure removes a person from an issued document,
 * and nothing else. Absent without one, and in documents of versions before.
 */
const recordedPerson = z.object({ id, name: z.string(), role, reasons: z.array(recordedReason).optional() })
export type RecordedPerson = z.infer<typeof recordedPerson>

/** The tasks of a person, and the watching of each. */
export const watchingRecord = recordFields.extend({ people: z.array(recordedPerson) })
export type WatchingRecord = z.infer<typeof watchingRecord>

/** The tasks of the members of a group, and how much each has watched. */
export const groupRecord = groupRecordFields.extend({ people: z.array(recordedPerson) })
export type GroupRecord = z.infer<typeof groupRecord>

/** A date of a period, in the time zone of the organisation. */
export const periodDate = z.iso
  .date()
  .refine(date => date >= '2000-01-01' && date < '3000-01-01', 'must lie between 2000 and 2999')

/** The part of a record that is asked for: a period, one task, or everything. */
export const recordSelection = z
  .object({ from: periodDate.optional(), until: periodDate.optional(), playlist_id: id.optional() })
  .refine(({ from, until }) => !from || !until || from <= until, {
    path: ['until'],
    error: 'must not be before the first day',
  })
export type RecordSelection = z.infer<typeof recordSelection>

const partNumber = z.coerce.number().int().min(1).max(limits.groupRecordPartsMax)
export const groupRecordSelection = recordSelection
  .safeExtend({
    /** At first the first part. */
    part: partNumber.optional(),
    /** Absent: one part, or of a large group as many as it needs. */
    parts: partNumber.optional(),
  })
  .refine(({ part = 1, parts = limits.groupRecordPartsMax }) => part <= parts, {
    path: ['part'],
    error: 'must not be more than the number of parts',
  })
export type GroupRecordSelection = z.infer<typeof groupRecordSelection>

export const getRecord = defineOperation({
  name: 'getRecord',
  service,
  method: 'GET',
  path: '/records/people/{userId}',
  callers: 'signed-in',
  summary:
    'The record of the caller, or of a person in the caller’s scope: tasks with due dates, exceptions, credited ranges, sessions and completion.',
  params: z.object({ userId: id }),
  query: recordSelection,
  response: watchingRecord,
  errors: ['not_found', 'invalid'],
})

const groupRecordOperation = {
  service,
  path: '/records/groups/{groupId}',
  callers: staff,
  params: z.object({ groupId: id }),
  errors: ['forbidden', 'not_found', 'invalid', 'unavailable'],
} as const

export const getGroupRecord = defineOperation({
  ...groupRecordOperation,
  name: 'getGroupRecord',
  method: 'GET',
  summary:
    'The record of a group: the tasks, credited seconds, sessions and completions of its present members, of whom the caller sees the records. Says how many members are left out. The record of a large group is divided into parts. `invalid` if it is too long.',
  query: groupRecordSelection,
  response: groupRecord,
})

/** SHA-256 in hexadecimal digits. */
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** The content of a certificate. */
const certificateFields = z.object({
  format: z.literal('watchline.certificate.1'),
  time_zone: z.string(),
  person: personIndex,
  playlist_id: id,
  title: z.string(),
  completed_at: time,
  /** The time at which the completion expires. Absent if it does not, and in earlier versions. */
  valid_until: time.optional(),
  credited_seconds: seconds,
  watch_time: seconds,
})
export type Certificate = z.infer<typeof certificateFields>

/**
 * An issued document adds the code by which it is found, and the hashes of its people. A
 * person can be left out of a copy, and the others can still be verified.
 */
const issuedFields = { code: z.string(), people: z.array(sha256) }
export const issuedContent = z.discriminatedUnion('format', [
  recordFields.extend(issuedFields),
  groupRecordFields.extend(issuedFields),
  certificateFields.extend(issuedFields),
])
export type IssuedContent = z.infer<typeof issuedContent>

/**
 * A person with the random salt of their hash: without it, a guess of the name could be compared.
 * A copy without the person has neither their name nor their reasons.
 */
export const issuedPerson = recordedPerson.extend({ salt: z.string() })
export type IssuedPerson = z.infer<typeof issuedPerson>

export const issuedKind = z.enum(['record', 'certificate', 'group_record'])
export type IssuedKind = z.infer<typeof issuedKind>

/** A link of the chain of issued documents. It names nobody. Its canonical JSON is signed. */
export const recordSeal = z.object({
  format: z.literal('watchline.seal.1'),
  /** The sequence number in the chain, from 1 on. */
  number: z.number().int().min(1),
  kind: issuedKind,
  issued_at: time,
  /** Of the canonical JSON of the document. */
  record_sha256: sha256,
  /** Of the canonical JSON of the previous seal; zeros in the first one. */
  previous_sha256: sha256,
  key_id: z.string(),
})
export type RecordSeal = z.infer<typeof recordSeal>

/** A file that anybody can verify: docs/records.md. */
export const issuedDocument = z.object({
  record: issuedContent,
  people: z.array(issuedPerson),
  seal: recordSeal,
  /** Ed25519 over the canonical JSON of the seal, in base64. */
  signature: z.string(),
})
export type IssuedDocument = z.infer<typeof issuedDocument>

const issued = z.object({ code: z.string(), number: z.number().int(), kind: issuedKind, issued_at: time })
export type Issued = z.infer<typeof issued>

export const issueRecord = defineOperation({
  name: 'issueRecord',
  service,
  method: 'POST',
  path: '/records/people/{userId}/issued',
  callers: 'signed-in',
  summary: 'Signs the record of a person and adds it to the chain. Without a change since, the answer is the last one.',
  params: z.object({ userId: id }),
  body: recordSelection,
  response: issued,
  errors: ['not_found', 'invalid', 'too_many'],
})

export const issueGroupRecord = defineOperation({
  ...groupRecordOperation,
  name: 'issueGroupRecord',
  method: 'POST',
  path: '/records/groups/{groupId}/issued',
  summary:
    'Signs the record of a group, or a part of it, as the caller sees it, and adds it to the chain. Without a change since, the answer is the last one.',
  body: groupRecordSelection,
  response: issued,
  errors: [...groupRecordOperation.errors, 'too_many'],
})

export const issueCertificate = defineOperation({
  name: 'issueCertificate',
  service,
  method: 'POST',
  path: '/records/people/{userId}/certificates',
  callers: 'signed-in',
  summary:
    'The certificate of a task that was completed by watching: the one that was issued at its completion, or a new one if its words have changed, or if the completion is of an earlier version.',
  params: z.object({ userId: id }),
  body: z.object({ playlist_id: id }),
  response: issued,
  errors: ['not_found', 'conflict', 'too_many'],
})

/** As people type it: any case, with or without hyphens. */
const typedCode = z
  .string()
  .max(64)
  .transform(text => text.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1'))
  .pipe(z.string().regex(/^[0-9A-Z]{20}$/, 'must have 20 letters and digits'))

export const downloadIssued = defineOperation({
  name: 'downloadIssued',
  service,
  method: 'GET',
  path: '/records/issued/{code}/{type}',
  callers: 'signed-in',
  summary:
    'An issued record or certificate of the caller, or of a person in the caller’s scope, as a file; the record of a group for those who see the group and each of its members.',
  params: z.object({ code: typedCode, type: z.enum(['json', 'pdf']) }),
  response: z.null(),
  mediaType: ['application/json', 'application/pdf'],
  errors: ['not_found', 'invalid', 'too_many', 'unavailable'],
})

/**
 * valid: issued, and unchanged. replaced: the same, but a newer one exists. changed: not as it was
 * issued. removed: signed by a key of this organisation, but missing in the chain. unknown: not
 * issued here.
 */
export const verificationStatus = z.enum(['valid', 'replaced', 'changed', 'removed', 'unknown'])
export type VerificationStatus = z.infer<typeof verificationStatus>

export const verification = z.object({
  status: verificationStatus,
  /** Only of valid and replaced documents. */
  number: z.number().int().optional(),
  kind: issuedKind.optional(),
  issued_at: time.optional(),
  replaced_at: time.optional(),
  /** The content of the document. Absent after the person was erased. */
  details: z
    .object({
      /** Null of a person who was left out or erased, and of records of groups. */
      name: z.string().nullable(),
      /**
       * Only of records of groups: the name, and the number of members whom the record contains.
       */
      group: z.string().optional(),
      members: z.number().int().optional(),
      /** Only of a part of a divided record. */
      part: groupRecordFields.shape.part,
      title: z.string().optional(),
      completed_at: time.optional(),
      /** Absent if the completion does not expire. */
      valid_until: time.optional(),
      period: z.object({ from: z.iso.date().nullable(), until: z.iso.date().nullable() }).optional(),
      tasks: z.number().int().optional(),
      credited_seconds: seconds,
      /** Absent of certificates, and of documents of versions before. */
      credited_with_earlier_attempts: seconds.optional(),
    })
    .optional(),
})
export type Verification = z.infer<typeof verification>

export const verifyRecord = defineOperation({
  name: 'verifyRecord',
  service,
  method: 'POST',
  path: '/records/verify',
  callers: 'anyone',
  summary: 'Whether a document was issued here and is unchanged, by its code or by the text of its JSON file.',
  body: z.union([
    z.strictObject({ code: typedCode }),
    z.strictObject({ document: z.string().min(1).max(limits.recordFileMaxLength) }),
  ]),
  response: verification,
  errors: ['invalid', 'too_large', 'too_many'],
})

export const listRecordKeys = defineOperation({
  name: 'listRecordKeys',
  service,
  method: 'GET',
  path: '/records/keys',
  callers: 'anyone',
  summary: 'The public keys of signatures of records, as JWKs with the same keys in PEM. Earlier keys stay.',
  response: z.object({
    keys: z.array(
      z.object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        x: z.string(),
        kid: z.string(),
        use: z.literal('sig'),
        alg: z.literal('EdDSA'),
        pem: z.string(),
        first_used_at: time,
      }),
    ),
  }),
})

export const exportRecordChain = defineOperation({
  name: 'exportRecordChain',
  service,
  method: 'GET',
  path: '/records/chain',
  callers: ['director', 'admin'],
  summary: 'The seals of all issued documents in their order, as JSON lines. They name nobody.',
  response: z.null(),
  mediaType: 'application/x-ndjson',
  errors: ['too_many'],
})

import type { OverrideKind } from '@watchline/contracts/fields'
import type { ReportMail, ReportRefusal, TeamDigest } from '@watchline/contracts/internal-operations'
import { limits } from '@watchline/contracts/limits'
import type { MailKind } from '@watchline/contracts/mail'
import { type Person, unreachableVersion } from '@watchline/identity/people'
import type { MailAttachment } from '../clients/mail-server.ts'
import type { MailDeps } from '../context.ts'
import type { ActivityGroup } from '../rules/activity.ts'
import { explainOutdated } from '../rules/task-state.ts'
import type { ClaimedMail } from '../store/mails.ts'
import type { CancelCode, EscalatedTask } from '../store/stored-mail.ts'
import { dropRepeated, filterOpenTasks } from './filter-open-tasks.ts'
import { filterUncompletable } from './filter-uncompletable.ts'
import { findManagers } from './redirect-escalations.ts'

/** The recipient of a mail whose reason holds, and what its owners know. */
export interface SendableMail {
  recipient: Person
  digest?: TeamDigest
  report?: ReportMail
  /** The activity of the mail without the people about whom it is not true any more. */
  group?: ActivityGroup
  attachment?: MailAttachment | undefined
}

/** A mail that can be sent, or the reason not to send it. */
export type Check = SendableMail | { reason: string; cancelCode?: CancelCode } | { isOwnerUnavailable: true }

/** Whether the reason of the mail still holds, as its owners know at this moment. */
export async function checkReason(ctx: MailDeps, mail: ClaimedMail): Promise<Check> {
  try {
    return await askOwners(ctx, mail)
  } catch (error) {
    ctx.log.warn({ err: error }, 'check before a mail failed, retrying')
    return { isOwnerUnavailable: true }
  }
}

/** Rejects while an owner is unavailable. */
async function askOwners(ctx: MailDeps, mail: ClaimedMail): Promise<Check> {
  const person = await ctx.people.find(mail.recipientId, unreachableVersion)
  if (!person || person.erasedAt) return { reason: 'The person is not known any more.' }
  if (person.deactivatedAt) return { reason: 'The account is deactivated.' }
  const [chosen] = await ctx.mailChoices.filterRecipients([person.id], mail.kind)
  if (!chosen) return { reason: 'The person has turned off this kind of mail.' }
  const problem = await findAddressProblem(ctx, person)
  if (problem === 'unverified')
    return { reason: 'The sign-in provider has not confirmed the address.', cancelCode: 'unverified_address' }
  if (problem === 'bouncing') return { reason: 'The address refused an earlier mail.' }
  if (mail.kind === 'team_digest') {
    if (person.role !== 'supervisor') return { reason: 'The person is no supervisor any more.' }
    const digest = await ctx.taskOwners.getDigest(person.id)
    return digest.tasks.length > 0 ? { recipient: person, digest } : { reason: 'No task is overdue or due soon.' }
  }
  if (mail.kind === 'task_escalated') {
    if (person.role !== 'manager') return { reason: 'The person is no manager any more.' }
    const digest = await findEscalated(ctx, mail.escalatedTasks ?? [], person.id)
    return digest.overdue > 0 ? { recipient: person, digest } : { reason: 'No task of the teams is overdue any more.' }
  }
  if (mail.kind === 'saved_report') return checkReport(ctx, mail, person)
  if (mail.kind === 'task_uncompletable' && mail.group && mail.task) {
    const { group, task } = mail
    const remaining = await filterUncompletable(ctx, { recipient: person, group, playlistId: task.playlistId })
    return 'group' in remaining ? { recipient: person, ...remaining } : remaining
  }
  if (dueKinds.includes(mail.kind) && person.role !== 'user') return { reason: 'The person is no trainee any more.' }
  const reason =
    (await findTaskProblem(ctx, mail)) ??
    (await findApprovalProblem(ctx, mail)) ??
    (await findTeamProblem(ctx, mail)) ??
    findManagerProblem(mail, person)
  if (reason !== undefined) return { reason }
  return { recipient: person, attachment: await findCalendar(ctx, mail) }
}

/** Reminders of due dates. Only trainees have a screen for their tasks. */
const dueKinds: readonly MailKind[] = ['task_due_soon', 'task_in_grace', 'task_overdue']

/** The kinds about a due date that is still to come. */
const calendarKinds: readonly MailKind[] = ['task_due_soon', 'task_assigned', 'task_recurred', 'due_date_changed']

/** The due date for the person's calendar, of a mail about one. */
async function findCalendar(
  { taskOwners }: MailDeps,
  { kind, recipientId, task }: ClaimedMail,
): Promise<MailAttachment | undefined> {
  if (!task?.dueAt || !calendarKinds.includes(kind)) return undefined
  const content = await taskOwners.findCalendar(recipientId, task.playlistId)
  const form = { fileName: 'due-date.ics', mediaType: 'text/calendar; charset=utf-8' }
  return content === undefined ? undefined : { ...form, content }
}

const refusalReasons: Record<ReportRefusal, string> = {
  deleted: 'The report does not exist any more.',
  no_recipient: 'The person is no recipient of the report any more.',
  owner_without_right: 'The owner of the report may not see it any more.',
  recipient_without_right: 'The person may not see the report any more.',
}

async function checkReport(
  { taskOwners }: MailDeps,
  { reportId = '', reportDueAt: dueAt, reportDay: day }: ClaimedMail,
  recipient: Person,
): Promise<Check> {
  const report = await taskOwners.getReport(reportId, recipient.id, { dueAt, day })
  if ('refusal' in report) return { reason: refusalReasons[report.refusal] }
  const { csv } = report
  if (!csv) return { recipient, report }
  const attachment = { fileName: csv.file_name, mediaType: 'text/csv; charset=utf-8', content: csv.content }
  return { recipient, report, attachment }
}

/**
 * The escalated tasks that are still open, of people who are still in the manager's teams. A
 * manager must not read about people whom they may no longer see.
 */
async function findEscalated(ctx: MailDeps, tasks: readonly EscalatedTask[], managerId: string): Promise<TeamDigest> {
  const open = await filterOpenTasks(ctx, dropRepeated(tasks))
  const managers = await findManagers(
    ctx,
    open.map(({ personId }) => personId),
  )
  const listed = open.flatMap(({ personId, playlistId, title, dueAt }): TeamDigest['tasks'] => {
    const { person, manager } = managers.get(personId) ?? {}
    if (!person || manager?.id !== managerId) return []
    return [
      {
        ...{ person_id: personId, person_name: person.name },
        ...{ playlist_id: playlistId, playlist_title: title, due: dueAt },
      },
    ]
  })
  listed.sort((a, b) => Date.parse(a.due) - Date.parse(b.due))
  return { overdue: listed.length, due_soon: 0, tasks: listed.slice(0, limits.digestTasksMax) }
}

/** The overrides that mails report. They close the task, while other mails are about open ones. */
const reportedOverrides: Partial<Record<MailKind, OverrideKind>> = {
  task_exempted: 'exempt',
  task_marked_done: 'marked_done',
}

async function findTaskProblem({ clock, mails, taskOwners }: MailDeps, mail: ClaimedMail) {
  const { recipientId, kind, task, heldUntil } = mail
  if (!task) return undefined
  const state = await taskOwners.findTask(recipientId, task.playlistId)
  const outdated = explainOutdated(state, { dueAt: task.dueAt, override: reportedOverrides[kind] })
  if (outdated !== undefined) return outdated
  if (kind === 'task_due_soon' && Date.parse(task.dueAt ?? '') <= clock.now()) return 'The due date has passed.'
  // Quiet times may hold several reminders of one task; only the latest is sent.
  if (heldUntil && (await mails.hasLaterReminder(mail))) return 'A later reminder of the task replaces it.'
  return undefined
}

/**
 * The kinds about one person of the recipient's teams. Those about a task or video with a problem
 * are none: their recipients may have no team, and must solve the problem (decision 46).
 */
const teamKinds: readonly MailKind[] = ['video_completed', 'playlist_completed', 'integrity', 'comment_to_approve']

/** A superior must not read about people whom they may no longer see. */
async function findTeamProblem({ people }: MailDeps, { kind, group, recipientId }: ClaimedMail) {
  if (!teamKinds.includes(kind)) return undefined
  const person = await people.find(group?.people[0]?.id ?? '', unreachableVersion)
  if (person?.supervisorId === recipientId) return undefined
  const supervisor = person?.supervisorId ? await people.find(person.supervisorId, unreachableVersion) : undefined
  return supervisor?.managerId === recipientId ? undefined : 'The person is in no team of the recipient any more.'
}

/** A request is answered, moved, changed or withdrawn with its comment. */
async function findApprovalProblem({ notifications }: MailDeps, { comment, recipientId }: ClaimedMail) {
  if (!comment) return undefined
  const request = await notifications.findByComment(comment.id)
  if (!request || request.approval === 'withdrawn') return 'The comment is deleted.'
  if (request.approval !== 'pending') return 'The comment is reviewed.'
  if (request.recipientId !== recipientId) return 'Another person reviews the comment.'
  return (request.commentRevision ?? 1) === comment.revision ? undefined : 'The comment was changed.'
}

function findManagerProblem({ kind, group }: ClaimedMail, { managerId }: Person) {
  if (kind !== 'manager_changed' || !group) return undefined
  const reported = group.positive ? group.people[0]?.id : null
  return managerId === reported ? undefined : 'The manager changed again.'
}

/**
 * The reason why the person gets no mails; undefined without one. Administrators sign in with the
 * address that another administrator entered, so no provider confirms it.
 */
export async function findAddressProblem(
  { bounces, mail }: Pick<MailDeps, 'bounces' | 'mail'>,
  person: Person,
): Promise<'unverified' | 'bouncing' | undefined> {
  if (!person.emailVerified && person.role !== 'admin' && !mail?.allowsUnverified) return 'unverified'
  return (await bounces.isBouncing(person)) ? 'bouncing' : undefined
}

import { isDeepStrictEqual } from 'node:util'
import type { ReportMail, ReportRefusal, TeamDigest } from '@watchline/contracts/internal-operations'
import { limits } from '@watchline/contracts/limits'
import { isRequiredMailKind, type MailKind } from '@watchline/contracts/mail'
import { type Person, unreachableVersion } from '@watchline/identity/people'
import type { MailAttachment } from '../clients/mail-server.ts'
import type { MailDeps } from '../context.ts'
import { composeDigest, composeMail, type MailFrame } from '../rules/compose-mail.ts'
import { composeReport } from '../rules/compose-report.ts'
import { retryDelayAfter } from '../rules/mail-retry.ts'
import { explainOutdated } from '../rules/task-state.ts'
import type { CancelCode, ClaimedMail, EscalatedTask } from '../store/mails.ts'
import { dropRepeated, filterOpenTasks } from './filter-open-tasks.ts'
import { findMailWords } from './find-mail-words.ts'
import { findManagers, redirectEscalations } from './redirect-escalations.ts'
import { signEnvelopeId, signUnsubscription } from './sign-mail-tokens.ts'

/** `server_problem`: other mails would meet it, too. */
export type DeliveryResult = 'sent' | 'failed' | 'cancelled' | 'postponed' | 'unknown' | 'server_problem'

/** The wait after a problem that is not about the mail. It does not count as an attempt. */
const problemRetryMs = 30_000
/**
 * A mail server that took longer than this to ask for the content is slow: the reason may be gone.
 */
const checkValidMs = 1_000

/**
 * One attempt to send a claimed mail. Immediately before, it asks the owners whether its reason
 * still holds; after a slow greeting of the mail server, once more. Every change compares the
 * claim, so an attempt that has lost it changes nothing.
 */
export async function deliverMail(ctx: MailDeps, claimed: ClaimedMail, signal: AbortSignal): Promise<DeliveryResult> {
  const { bounces, clock, mails } = ctx
  let mail = claimed
  const now = () => new Date(clock.now())
  // A process that dies leaves its attempt counted, so the number can exceed the limit.
  if (mail.attempts > limits.mailAttempts) {
    await mails.settleMail(mail, 'failed', now(), 'No attempt came to an end.')
    return 'failed'
  }
  const sendableSince = mail.heldUntil ?? mail.createdAt
  if (clock.now() - sendableSince.getTime() > limits.mailMaxAgeMs) {
    await mails.settleMail(mail, 'failed', now(), 'It could not be sent for three days.')
    return 'failed'
  }
  const waitForServer = async (explanation?: string): Promise<DeliveryResult> => {
    const next = new Date(clock.now() + problemRetryMs)
    await mails.postpone(mail, next, { ...(explanation !== undefined && { explanation }), countsAttempt: false })
    return 'server_problem'
  }
  const dropMail = async (check: Exclude<Check, SendableMail>): Promise<DeliveryResult> => {
    if ('isOwnerUnavailable' in check) return waitForServer()
    await mails.settleMail(mail, 'cancelled', now(), check.reason, check.cancelCode)
    return 'cancelled'
  }
  try {
    mail = await redirectEscalations(ctx, claimed)
  } catch (error) {
    ctx.log.warn({ err: error }, 'check of the managers before a mail failed, retrying')
    return waitForServer()
  }
  const check = await checkReason(ctx, mail)
  if (!('recipient' in check)) return dropMail(check)
  const { recipient, attachment } = check
  const checkedAt = clock.now()
  let lateCheck: Check = check
  const beforeContent = async () => {
    if (clock.now() - checkedAt > checkValidMs) lateCheck = await checkReason(ctx, mail)
    return (
      'recipient' in lateCheck &&
      // A person who left the teams meanwhile must not be named.
      isDeepStrictEqual(lateCheck.digest, check.digest) &&
      mails.markOffered(mail, address, now())
    )
  }
  const address = recipient.email
  const envelopeId = signEnvelopeId(mail.id, await ctx.mailChoices.signingKey())
  const oneClickUrl = await unsubscribeUrl(ctx, mail, '/api/notifications/unsubscribe?')
  const composed = await compose(ctx, mail, check, {
    recipientName: recipient.name,
    publicUrl: ctx.publicUrl,
    unsubscribeUrl: await unsubscribeUrl(ctx, mail, '/?page=unsubscribe#'),
  })
  const delivery = await ctx.mailServer!.deliver(
    {
      ...{ ...composed, id: mail.id, envelopeId, address, date: sendableSince },
      ...(oneClickUrl && { oneClickUrl }),
      ...(attachment && { attachment }),
    },
    { beforeContent, signal },
  )
  switch (delivery.outcome) {
    case 'accepted':
      await mails.settleMail(mail, 'sent', now())
      return 'sent'
    case 'refused':
      await mails.settleMail(mail, 'failed', now(), delivery.serverReply)
      if (delivery.isAddress)
        await bounces.add({ personId: recipient.id, address, at: now(), serverReply: delivery.serverReply })
      return 'failed'
    case 'abandoned':
      if (!('recipient' in lateCheck)) return dropMail(lateCheck)
      await mails.postpone(mail, now(), { countsAttempt: false })
      return 'postponed'
    case 'unanswered':
      if (retryDelayAfter(mail.attempts) === undefined) {
        await mails.settleMail(mail, 'unknown', now(), delivery.serverReply)
        return 'unknown'
      }
      await mails.markUnknown(mail, new Date(clock.now() + ctx.mail!.deliveryReportWaitMs), delivery.serverReply)
      return 'unknown'
    case 'deferred': {
      const { serverReply, isAboutMail } = delivery
      if (!isAboutMail) return waitForServer(serverReply)
      const delay = retryDelayAfter(mail.attempts)
      if (delay === undefined) {
        await mails.settleMail(mail, 'failed', now(), serverReply)
        return 'failed'
      }
      await mails.postpone(mail, new Date(clock.now() + delay), { explanation: serverReply, countsAttempt: true })
      return 'postponed'
    }
  }
}

async function compose(
  ctx: MailDeps,
  { kind, group, reportId, task }: ClaimedMail,
  { digest, report, recipient }: SendableMail,
  frame: MailFrame,
) {
  const { language, timeZone: chosen } = await ctx.mailChoices.preferencesOf(recipient.id)
  const timeZone = ctx.validTimeZoneOf(chosen)
  const wording = await findMailWords(ctx, kind, language)
  if (kind === 'team_digest' || kind === 'task_escalated') {
    if (!digest) throw new Error('the mail has no tasks')
    return composeDigest(kind, digest, wording, { ...frame, timeZone, now: ctx.clock.now() })
  }
  if (kind === 'saved_report') {
    if (!report || reportId === undefined) throw new Error('the mail has no report')
    return composeReport(report, wording, { ...frame, reportId, recipientRole: recipient.role })
  }
  if (!group) throw new Error('the mail has no activity')
  return composeMail({ ...group, kind }, wording, { ...frame, due: task?.localDue })
}

/** The recipient of a mail whose reason holds, and what its owners know. */
interface SendableMail {
  recipient: Person
  digest?: TeamDigest
  report?: ReportMail
  attachment?: MailAttachment | undefined
}

/** A mail that can be sent, or the reason not to send it. */
type Check = SendableMail | { reason: string; cancelCode?: CancelCode } | { isOwnerUnavailable: true }

async function checkReason(ctx: MailDeps, mail: ClaimedMail): Promise<Check> {
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
  if (dueKinds.includes(mail.kind) && person.role !== 'user') return { reason: 'The person is no trainee any more.' }
  const reason = await findTaskProblem(ctx, mail)
  if (reason !== undefined) return { reason }
  return { recipient: person, attachment: await findCalendar(ctx, mail) }
}

/** Reminders of due dates. Only trainees have a screen for their tasks. */
const dueKinds: readonly MailKind[] = ['task_due_soon', 'task_overdue']

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
  { reportId = '', reportDueAt }: ClaimedMail,
  recipient: Person,
): Promise<Check> {
  const report = await taskOwners.getReport(reportId, recipient.id, reportDueAt)
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

async function findTaskProblem({ clock, mails, taskOwners }: MailDeps, mail: ClaimedMail) {
  const { recipientId, kind, task, heldUntil } = mail
  if (!task) return undefined
  const outdated = explainOutdated(await taskOwners.findTask(recipientId, task.playlistId), task.dueAt)
  if (outdated !== undefined) return outdated
  if (kind === 'task_due_soon' && Date.parse(task.dueAt ?? '') <= clock.now()) return 'The due date has passed.'
  // Quiet times may hold several reminders of one task; only the latest is sent.
  if (heldUntil && (await mails.hasLaterReminder(mail))) return 'A later reminder of the task replaces it.'
  return undefined
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

async function unsubscribeUrl({ mailChoices, publicUrl }: MailDeps, { recipientId, kind }: ClaimedMail, path: string) {
  if (isRequiredMailKind(kind)) return undefined
  const token = signUnsubscription({ personId: recipientId, kind }, await mailChoices.signingKey())
  return `${publicUrl}${path}${new URLSearchParams({ token })}`
}

import { isRequiredMailKind } from '@watchline/contracts/mail'
import { builtInLanguage } from '@watchline/contracts/mail-languages'
import { previewMailWording as operation } from '@watchline/contracts/mail-settings'
import { failField } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { NotificationContext } from '../context.ts'
import { composeDigest, composeMail } from '../rules/compose-mail.ts'
import { composeReport } from '../rules/compose-report.ts'
import {
  exampleDigest,
  exampleDigestTime,
  exampleDue,
  exampleEscalation,
  exampleOf,
  exampleReport,
} from '../rules/mail-example.ts'
import { isDefaultWording, parseWording } from '../rules/mail-wording.ts'

export const previewMailWording = defineRoute(
  operation,
  async ({ person, params: { kind }, query, body }, { publicUrl, timeZone, mailLanguages }: NotificationContext) => {
    const ofDefaultWords = isDefaultWording(kind, body) ? builtInLanguage : undefined
    const defaultLanguage = ofDefaultWords ?? (await mailLanguages.find('languages'))?.value?.default_language
    const parsed = parseWording(kind, body, query.language ?? defaultLanguage)
    if ('problem' in parsed) failField(parsed.field, parsed.problem)
    const frame = {
      recipientName: person.name,
      publicUrl,
      unsubscribeUrl: isRequiredMailKind(kind) ? undefined : `${publicUrl}/?page=unsubscribe`,
    }
    const digestFrame = { ...frame, timeZone, now: exampleDigestTime }
    if (kind === 'team_digest') return composeDigest(kind, exampleDigest, parsed, digestFrame)
    if (kind === 'task_escalated') return composeDigest(kind, exampleEscalation, parsed, digestFrame)
    if (kind === 'saved_report')
      return composeReport(exampleReport, parsed, { ...frame, reportId: 'example', recipientRole: 'supervisor' })
    return composeMail(exampleOf(kind), parsed, { ...frame, due: exampleDue, recipientRole: 'supervisor' })
  },
)

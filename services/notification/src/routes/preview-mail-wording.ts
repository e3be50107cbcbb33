import { isRequiredMailKind } from '@watchline/contracts/mail'
import { previewMailWording as operation } from '@watchline/contracts/mail-settings'
import { failField } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { NotificationContext } from '../context.ts'
import { composeDigest, composeMail } from '../rules/compose-mail.ts'
import { composeReport } from '../rules/compose-report.ts'
import { exampleDigest, exampleDigestTime, exampleEscalation, exampleOf, exampleReport } from '../rules/mail-example.ts'
import { parseWording } from '../rules/mail-wording.ts'

export const previewMailWording = defineRoute(
  operation,
  async ({ person, params: { kind }, body }, { publicUrl, timeZone }: NotificationContext) => {
    const parsed = parseWording(kind, body)
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
    return composeMail(exampleOf(kind), parsed, frame)
  },
)

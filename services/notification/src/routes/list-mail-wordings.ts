import { mailKind } from '@watchline/contracts/mail'
import { listMailWordings as operation } from '@watchline/contracts/mail-settings'
import { defineRoute } from '@watchline/kit/http/route'
import type { NotificationContext } from '../context.ts'
import { presentMailWording } from './present-mail-wording.ts'

export const listMailWordings = defineRoute(operation, async (_input, { mailWordings }: NotificationContext) => {
  const records = await mailWordings.list()
  return mailKind.options.map(kind => presentMailWording(kind, records.get(kind)))
})

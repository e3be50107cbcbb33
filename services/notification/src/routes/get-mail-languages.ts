import { getMailLanguages as operation } from '@watchline/contracts/mail-languages'
import { defineRoute } from '@watchline/kit/http/route'
import type { NotificationContext } from '../context.ts'
import { presentMailLanguages } from './present-mail-languages.ts'

export const getMailLanguages = defineRoute(operation, async (_input, { mailLanguages }: NotificationContext) =>
  presentMailLanguages(await mailLanguages.find('languages')),
)

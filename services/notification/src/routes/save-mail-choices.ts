import { saveMailChoices as operation } from '@watchline/contracts/mail'
import { failField } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { NotificationContext } from '../context.ts'
import { defaultMailLanguages } from '../rules/mail-languages.ts'

/** Replaces the choices that are present. */
export const saveMailChoices = defineRoute(operation, async ({ person, body }, ctx: NotificationContext) => {
  const { kinds, language, time_zone } = body
  if (typeof language === 'string') {
    const { default_language, languages } = (await ctx.mailLanguages.find('languages'))?.value ?? defaultMailLanguages
    if (language !== default_language && !languages.includes(language))
      failField('language', 'is not a language of the mails')
  }
  await ctx.mailChoices.save(person.id, { kinds, language, timeZone: time_zone })
  if (time_zone !== undefined) {
    // In another time zone, held reminders may be allowed at another moment.
    await ctx.mails.releaseHeld(new Date(ctx.clock.now()), { recipientId: person.id })
    ctx.mailSending.wake()
  }
  return { success: true as const }
})

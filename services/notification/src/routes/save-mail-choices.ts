import { saveMailChoices as operation } from '@watchline/contracts/mail'
import { failField } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { retryOnDuplicateKey } from '@watchline/kit/mongo/retry-on-duplicate-key'
import { publishTimeZone } from '../actions/publish-time-zone.ts'
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
  const saveChoices = () =>
    ctx.outbox.transaction(async tx => {
      const choices = { kinds, language, timeZone: time_zone }
      const changedAt = await ctx.mailChoices.save(person.id, choices, { now: ctx.clock.now(), session: tx.session })
      if (changedAt && time_zone !== undefined) publishTimeZone(tx, person.id, time_zone, changedAt)
    })
  await retryOnDuplicateKey(saveChoices)
  if (time_zone !== undefined) {
    // In another time zone, held reminders may be allowed at another moment.
    await ctx.mails.releaseHeld(new Date(ctx.clock.now()), { recipientId: person.id })
    ctx.mailSending.wake()
  }
  return { success: true as const }
})

import type { saveMailChoices } from '@watchline/contracts/mail'
import type { BodyOf } from '@watchline/contracts/operation'
import { failField } from '@watchline/kit/core/errors'
import type { NotificationContext } from '../context.ts'
import { defaultMailLanguages } from './replace-mail-languages.ts'

type Deps = Pick<NotificationContext, 'clock' | 'mailChoices' | 'mailLanguages' | 'mails' | 'mailSending'>

/**
 * Replaces the choices that are present. Reminders that wait for an allowed moment look for theirs
 * again if the time zone is one of the choices.
 */
export async function replaceMailChoices(
  { clock, mailChoices, mailLanguages, mails, mailSending }: Deps,
  personId: string,
  { kinds, language, time_zone }: BodyOf<typeof saveMailChoices>,
): Promise<void> {
  if (typeof language === 'string') {
    const { default_language, languages } = (await mailLanguages.find('languages'))?.value ?? defaultMailLanguages
    if (language !== default_language && !languages.includes(language))
      failField('language', 'is not a language of the mails')
  }
  await mailChoices.save(personId, { kinds, language, timeZone: time_zone })
  if (time_zone === undefined) return
  await mails.releaseHeld(new Date(clock.now()), { recipientId: personId })
  mailSending.wake()
}

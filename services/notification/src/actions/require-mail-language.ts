import { fail } from '@watchline/kit/core/errors'
import type { NotificationContext } from '../context.ts'

/** Fails with `not_found` for a language that mails do not have; undefined is the default one. */
export async function requireMailLanguage(
  { mailLanguages }: Pick<NotificationContext, 'mailLanguages'>,
  language: string | undefined,
): Promise<void> {
  if (language === undefined) return
  const languages = (await mailLanguages.find('languages'))?.value?.languages ?? []
  if (!languages.includes(language)) fail('not_found')
}

import { getMailChoices as operation } from '@watchline/contracts/mail'
import { defineRoute } from '@watchline/kit/http/route'
import { findAddressProblem } from '../actions/check-mail-reason.ts'
import type { NotificationContext } from '../context.ts'
import { defaultMailLanguages } from '../rules/mail-languages.ts'

export const getMailChoices = defineRoute(operation, async ({ person }, ctx: NotificationContext) => {
  const problem = await findAddressProblem(ctx, person)
  const { language, timeZone } = await ctx.mailChoices.preferencesOf(person.id)
  const { default_language, languages } = (await ctx.mailLanguages.find('languages'))?.value ?? defaultMailLanguages
  const isKnown = language !== undefined && [default_language, ...languages].includes(language)
  return {
    is_available: ctx.mail !== undefined,
    address: person.email,
    ...(problem && { address_problem: problem }),
    kinds: await ctx.mailChoices.optionalKindsOf(person.id),
    language: isKnown ? language : null,
    ...{ default_language, languages },
    time_zone: timeZone ?? null,
    organisation_time_zone: ctx.timeZone,
  }
})

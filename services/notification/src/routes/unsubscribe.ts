import { unsubscribe as operation } from '@watchline/contracts/mail'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { readUnsubscription } from '../actions/sign-mail-tokens.ts'
import type { NotificationContext } from '../context.ts'

export const unsubscribe = defineRoute(operation, async ({ query }, ctx: NotificationContext) => {
  const unsubscription = readUnsubscription(query.token, await ctx.mailChoices.signingKey())
  if (!unsubscription) fail('invalid_unsubscribe_token')
  const { personId, kind } = unsubscription
  // A token outlives its person: an erased one must not come back as a choice.
  const person = await ctx.people.find(personId, 0)
  if (person && !person.erasedAt) await ctx.mailChoices.unsubscribe(personId, kind)
  return { success: true as const, kind }
})

import { getMailChoices as operation } from '@watchline/contracts/mail'
import { defineRoute } from '@watchline/kit/http/route'
import { findAddressProblem } from '../actions/deliver-mail.ts'
import type { NotificationContext } from '../context.ts'

export const getMailChoices = defineRoute(operation, async ({ person }, ctx: NotificationContext) => {
  const problem = await findAddressProblem(ctx, person)
  return {
    is_available: ctx.mail !== undefined,
    address: person.email,
    ...(problem && { address_problem: problem }),
    kinds: await ctx.mailChoices.kindsOf(person.id),
  }
})

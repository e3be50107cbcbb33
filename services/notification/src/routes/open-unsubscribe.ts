import { openUnsubscribe as operation } from '@watchline/contracts/mail'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { NotificationContext } from '../context.ts'

/**
 * Scanners of mail open every link, so only the page's button changes anything. The fragment keeps
 * the token out of the logs of servers.
 */
export const openUnsubscribe = defineRoute(
  operation,
  async ({ query }, _ctx: NotificationContext) =>
    new Reply(null, { headers: { location: `/?page=unsubscribe#${new URLSearchParams({ token: query.token })}` } }),
)

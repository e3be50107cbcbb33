import { listNotifications as operation } from '@watchline/contracts/notification'
import { pageHeaders, readCursor, timeCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { NotificationContext } from '../context.ts'
import { notificationsVersion } from '../rules/versions.ts'
import { presentNotification } from './presenters.ts'

export const listNotifications = defineRoute(
  operation,
  async ({ query, person }, { notifications }: NotificationContext) => {
    const after = readCursor(query.cursor, timeCursor)
    const [page, { unread, pending }] = await Promise.all([
      notifications.listPage(person.id, { limit: query.limit, after, pendingOnly: query.waiting === 'true' }),
      notifications.countUnreadAndPending(person.id),
    ])
    return new Reply(
      {
        notifications: page.notifications.map(presentNotification),
        unread_count: unread,
        pending_approvals: pending,
      },
      { headers: pageHeaders(page) },
    )
  },
  { versions: { keys: ({ person }) => [notificationsVersion(person.id)] } },
)

import { listNotifications as operation } from '@watchline/contracts/notification'
import { pageHeaders, readCursor } from '@watchline/kit/paging'
import { defineRoute, Reply } from '@watchline/kit/route'
import { z } from 'zod'
import { versionOf } from '../changed.ts'
import type { NotificationContext } from '../context.ts'
import { presentNotification } from '../presenters.ts'

const place = z.object({ at: z.number().int().min(0).max(8.64e15), id: z.string().max(64) })

export const listNotifications = defineRoute(
  operation,
  async ({ query, person }, { notifications }: NotificationContext) => {
    const after = readCursor(query.cursor, place)
    const [page, { unread, pending }] = await Promise.all([
      notifications.page(person.id, { limit: query.limit, after, waiting: query.waiting === 'true' }),
      notifications.counts(person.id),
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
  { versions: { keys: ({ person }) => [versionOf(person.id)] } },
)

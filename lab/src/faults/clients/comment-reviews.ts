import type { Member } from '../../shared/organisation.ts'
import type { Lane } from '../call-log.ts'
import { caller, type LoadClients, repeatUntilStopped } from './load.ts'

const answeredAtOnce = 4

interface Notice {
  id: string
  kind: string
  is_read: boolean
  created_at: string
}

/** A supervisor who reviews trainees' comments. Each comment found shows that events arrive. */
export async function review(clients: LoadClients, supervisor: Member): Promise<void> {
  const lane: Lane = { area: 'notifications', who: supervisor.name }
  const events: Lane = { area: 'events', who: `comments for ${supervisor.name}` }
  const call = caller(clients, supervisor.browser, lane)

  await repeatUntilStopped(clients, [lane, events], 700, async () => {
    const waiting = await call('GET', '/notifications?waiting=true&limit=20')
    const found: Notice[] = waiting.acknowledged ? waiting.json.notifications : []
    for (const each of found) clients.callLog.served(events, Date.parse(each.created_at))
    for (const { id } of found.slice(-answeredAtOnce)) {
      const approved = Math.random() < 0.7
      const words = `${approved ? 'good' : 'no'} ${id}`
      const body = { action: approved ? 'approve' : 'reject', supervisor_comment: words }
      const answered = await call('POST', `/notifications/${id}/approve`, body)
      if (answered.acknowledged) clients.expectedRecords.reviews.push({ notificationId: id, approved, words })
    }
  })
}

/** A trainee who reads their notifications. */
export async function readNotices(clients: LoadClients, trainee: Member): Promise<void> {
  const lane: Lane = { area: 'notifications', who: trainee.name }
  const call = caller(clients, trainee.browser, lane)
  await repeatUntilStopped(clients, [lane], 1_000, async () => {
    const list = await call('GET', '/notifications?limit=20')
    const notices: Notice[] = list.acknowledged ? list.json.notifications : []
    // Ungrouped notifications stay read.
    const unread = notices.find(each => each.kind === 'comment_reviewed' && !each.is_read)
    if (!unread) return
    const read = await call('POST', `/notifications/${unread.id}/read`)
    if (read.acknowledged) clients.expectedRecords.readNotifications.push(unread.id)
  })
}

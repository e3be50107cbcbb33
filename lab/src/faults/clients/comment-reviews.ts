import type { Member } from '../../shared/organisation.ts'
import type { Lane } from '../call-log.ts'
import { createCaller, type LoadClients, repeatUntilStopped } from './load.ts'

const reviewsPerRound = 4

interface NotificationFacts {
  id: string
  kind: string
  is_read: boolean
  created_at: string
}

/**
 * A supervisor who reviews trainees' comments. Every comment that arrives proves that events are
 * consumed.
 */
export async function reviewComments(clients: LoadClients, supervisor: Member): Promise<void> {
  const lane: Lane = { area: 'notifications', client: supervisor.name }
  const events: Lane = { area: 'events', client: `comments for ${supervisor.name}` }
  const call = createCaller(clients, supervisor.browser, lane)

  await repeatUntilStopped(clients, [lane, events], 700, async () => {
    const pending = await call('GET', '/notifications?waiting=true&limit=20')
    const requests: NotificationFacts[] = pending.acknowledged ? pending.json.notifications : []
    for (const request of requests) clients.callLog.markServed(events, Date.parse(request.created_at))
    for (const { id } of requests.slice(-reviewsPerRound)) {
      const approved = Math.random() < 0.7
      const words = `${approved ? 'good' : 'no'} ${id}`
      const body = { action: approved ? 'approve' : 'reject', supervisor_comment: words }
      const reviewed = await call('POST', `/notifications/${id}/approve`, body)
      if (reviewed.acknowledged) clients.expectedRecords.reviews.push({ notificationId: id, approved, words })
    }
  })
}

export async function readNotifications(clients: LoadClients, trainee: Member): Promise<void> {
  const lane: Lane = { area: 'notifications', client: trainee.name }
  const call = createCaller(clients, trainee.browser, lane)
  await repeatUntilStopped(clients, [lane], 1_000, async () => {
    const list = await call('GET', '/notifications?limit=20')
    const notifications: NotificationFacts[] = list.acknowledged ? list.json.notifications : []
    // Ungrouped notifications stay read.
    const unread = notifications.find(({ kind, is_read }) => kind === 'comment_reviewed' && !is_read)
    if (!unread) return
    const read = await call('POST', `/notifications/${unread.id}/read`)
    if (read.acknowledged) clients.expectedRecords.readNotificationIds.push(unread.id)
  })
}

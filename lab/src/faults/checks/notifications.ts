import type { Organisation } from '../../shared/organisation.ts'
import type { CallLog } from '../call-log.ts'
import type { ExpectedRecords } from '../expected-records.ts'
import type { FaultWorld } from '../fault-world.ts'

interface NotificationRow {
  _id: string
  recipient_id: string | null
  kind: string
  facts: { count: number; people: { id: string }[]; text?: string }
  is_read: boolean
  approval?: string
  words?: string
  comment_id?: string
  author_id?: string
}

interface CheckInput {
  world: Pick<FaultWorld, 'databases'>
  expectedRecords: ExpectedRecords
  callLog: CallLog
  organisation: Organisation
}

/** Checks that every comment is stored once and every notification exists once. */
export async function checkNotifications({ world, expectedRecords, callLog, organisation }: CheckInput): Promise<void> {
  const { databases } = world
  const rows = await databases.of('notification').collection<NotificationRow>('notifications').find().toArray()
  const comments = await databases
    .of('engagement')
    .collection<{ _id: string; person_id: string; client_id?: string; text: string }>('comments')
    .find()
    .toArray()
  const ungrouped = await databases.of('notification').collection('happenings').countDocuments()
  if (ungrouped > 0) callLog.reportViolation('notification lost', `${ungrouped} activities were never grouped`)

  const byClientId = Map.groupBy(comments, comment => comment.client_id ?? '')
  for (const { id, clientId, text } of expectedRecords.comments) {
    const found = byClientId.get(clientId) ?? []
    if (found.length !== 1)
      callLog.reportViolation(found.length ? 'comment doubled' : 'comment lost', `${clientId}: ${text}`)
    else if (found[0]!._id !== id || found[0]!.text !== text)
      callLog.reportViolation('comment lost', `${clientId} has the text "${found[0]!.text}"`)
  }

  const approvalRequests = Map.groupBy(
    rows.filter(row => row.kind === 'comment_to_approve'),
    row => row.comment_id ?? '',
  )
  for (const { _id } of comments) {
    const times = approvalRequests.get(_id)?.length ?? 0
    if (times === 0) callLog.reportViolation('event lost', `comment ${_id} has no request for approval`)
    if (times > 1) callLog.reportViolation('event applied twice', `comment ${_id} has ${times} requests for approval`)
  }

  const byId = new Map(rows.map(row => [row._id, row]))
  for (const { notificationId, approved, words } of expectedRecords.reviews) {
    const row = byId.get(notificationId)
    if (row?.approval !== (approved ? 'approved' : 'rejected') || row.words !== words)
      callLog.reportViolation(
        'review lost',
        `${notificationId}: ${row?.approval} "${row?.words}" instead of "${words}"`,
      )
  }
  for (const id of expectedRecords.readNotificationIds)
    if (!byId.get(id)?.is_read) callLog.reportViolation('read mark lost', `notification ${id} is unread again`)

  const reviewedRows = rows.filter(row => row.kind === 'comment_to_approve' && row.approval !== 'pending')
  const checkCount = (subject: string, recipient: string, count: number, min: number, max = min) => {
    if (count < min) callLog.reportViolation('event lost', `${subject} for ${recipient}: ${count} of ${min}`)
    if (count > max)
      callLog.reportViolation('event applied twice', `${subject} for ${recipient}: ${count} instead of ${max}`)
  }
  const findNotifications = (kind: string, recipientId: string) =>
    rows.filter(row => row.kind === kind && row.recipient_id === recipientId)
  const countActivities = (kind: string, recipientId: string) =>
    findNotifications(kind, recipientId).reduce((sum, row) => sum + row.facts.count, 0)

  const watchers = await databases
    .of('engagement')
    .collection<{
      _id: string
      completedPlaylists?: string[]
      videos?: Record<string, { completedAt: number | null }>
    }>('watchers')
    .find()
    .toArray()
  for (const { supervisor, trainees } of organisation.teams) {
    const team = new Set(trainees.map(trainee => trainee.id))
    const teamWatchers = watchers.filter(watcher => team.has(watcher._id))
    const videos = teamWatchers
      .flatMap(watcher => Object.values(watcher.videos ?? {}))
      .filter(video => video.completedAt !== null)
    const playlists = teamWatchers.flatMap(watcher => watcher.completedPlaylists ?? [])
    checkCount('completed videos', supervisor.name, countActivities('video_completed', supervisor.id), videos.length)
    checkCount(
      'completed playlists',
      supervisor.name,
      countActivities('playlist_completed', supervisor.id),
      playlists.length,
    )
    for (const { id, name } of trainees) {
      const reviews = reviewedRows.filter(row => row.author_id === id || row.facts.people[0]?.id === id)
      checkCount('reviews of comments', name, findNotifications('comment_reviewed', id).length, reviews.length)
      const { min, max } = expectedRecords.assigned.get(id) ?? { min: 0, max: 0 }
      checkCount('assignments', name, countActivities('task_assigned', id), min, max)
    }
  }

  const requests = await databases
    .of('auth')
    .collection<{ _id: string; manager_id: string; status: string }>('supervisor_requests')
    .find()
    .toArray()
  for (const { id, approved } of expectedRecords.requests) {
    const status = requests.find(request => request._id === id)?.status
    if (status !== (approved ? 'approved' : 'rejected'))
      callLog.reportViolation('review lost', `request ${id} is ${status}`)
  }
  for (const { id, name } of organisation.managers) {
    const reviewed = requests.filter(
      request => request.manager_id === id && /^(approved|rejected)$/.test(request.status),
    )
    checkCount('reviewed requests', name, findNotifications('request_reviewed', id).length, reviewed.length)
  }
}

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

interface Checking {
  world: Pick<FaultWorld, 'databases'>
  expectedRecords: ExpectedRecords
  callLog: CallLog
  organisation: Organisation
}

/** Checks that every comment is stored once and every notification exists once. */
export async function checkNotifications({ world, expectedRecords, callLog, organisation }: Checking): Promise<void> {
  const { databases } = world
  const rows = await databases.of('notification').collection<NotificationRow>('notifications').find().toArray()
  const comments = await databases
    .of('engagement')
    .collection<{ _id: string; person_id: string; client_id?: string; text: string }>('comments')
    .find()
    .toArray()
  const leftBehind = await databases.of('notification').collection('happenings').countDocuments()
  if (leftBehind > 0) callLog.violation('notification lost', `${leftBehind} activities were never grouped`)

  const byClientId = Map.groupBy(comments, each => each.client_id ?? '')
  for (const { id, clientId, text } of expectedRecords.comments) {
    const found = byClientId.get(clientId) ?? []
    if (found.length !== 1) callLog.violation(found.length ? 'comment doubled' : 'comment lost', `${clientId}: ${text}`)
    else if (found[0]!._id !== id || found[0]!.text !== text)
      callLog.violation('comment lost', `${clientId} is another one: ${found[0]!.text}`)
  }

  const asked = Map.groupBy(
    rows.filter(row => row.kind === 'comment_to_approve'),
    row => row.comment_id ?? '',
  )
  for (const { _id } of comments) {
    const times = asked.get(_id)?.length ?? 0
    if (times === 0) callLog.violation('event lost', `nobody was asked to approve comment ${_id}`)
    if (times > 1) callLog.violation('event applied twice', `comment ${_id} waits for ${times} answers`)
  }

  const byId = new Map(rows.map(row => [row._id, row]))
  for (const { notificationId, approved, words } of expectedRecords.reviews) {
    const row = byId.get(notificationId)
    if (row?.approval !== (approved ? 'approved' : 'rejected') || row.words !== words)
      callLog.violation('answer lost', `${notificationId}: ${row?.approval} "${row?.words}" instead of "${words}"`)
  }
  for (const id of expectedRecords.readNotifications)
    if (!byId.get(id)?.is_read) callLog.violation('reading lost', `notification ${id} is unread again`)

  const answered = rows.filter(row => row.kind === 'comment_to_approve' && row.approval !== 'pending')
  const expect = (rule: string, who: string, found: number, least: number, most = least) => {
    if (found < least) callLog.violation('event lost', `${rule} for ${who}: ${found} of ${least}`)
    if (found > most) callLog.violation('event applied twice', `${rule} for ${who}: ${found} instead of ${most}`)
  }
  const told = (kind: string, recipientId: string) =>
    rows.filter(row => row.kind === kind && row.recipient_id === recipientId)
  const counted = (kind: string, recipientId: string) =>
    told(kind, recipientId).reduce((sum, row) => sum + row.facts.count, 0)

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
    const team = new Set(trainees.map(each => each.id))
    const own = watchers.filter(each => team.has(each._id))
    const videos = own.flatMap(each => Object.values(each.videos ?? {})).filter(each => each.completedAt !== null)
    const playlists = own.flatMap(each => each.completedPlaylists ?? [])
    expect('completed videos', supervisor.name, counted('video_completed', supervisor.id), videos.length)
    expect('completed playlists', supervisor.name, counted('playlist_completed', supervisor.id), playlists.length)
    for (const { id, name } of trainees) {
      const answers = answered.filter(row => row.author_id === id || row.facts.people[0]?.id === id)
      expect('answers to comments', name, told('comment_reviewed', id).length, answers.length)
      const { least, most } = expectedRecords.assigned.get(id) ?? { least: 0, most: 0 }
      expect('assignments', name, counted('task_assigned', id), least, most)
    }
  }

  const requests = await databases
    .of('auth')
    .collection<{ _id: string; manager_id: string; status: string }>('supervisor_requests')
    .find()
    .toArray()
  for (const { id, approved } of expectedRecords.requests) {
    const status = requests.find(each => each._id === id)?.status
    if (status !== (approved ? 'approved' : 'rejected')) callLog.violation('answer lost', `request ${id} is ${status}`)
  }
  for (const { id, name } of organisation.managers) {
    const reviewed = requests.filter(each => each.manager_id === id && /^(approved|rejected)$/.test(each.status))
    expect('answered requests', name, told('request_reviewed', id).length, reviewed.length)
  }
}

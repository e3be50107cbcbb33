import { limits } from '@watchline/contracts/limits'
import type { CallLog } from '../call-log.ts'
import type { ExpectedRecords } from '../expected-records.ts'
import type { FaultWorld } from '../fault-world.ts'
import { findUsesWithoutLock, possibleValues } from '../possible-values.ts'

interface SessionRow {
  _id: string
  person_id: string
  sid: string
  fence: number
  started_at: Date
  ended_at?: Date
  reason?: string
}

interface WatcherRow {
  _id: string
  holds?: { fence: number; from: number; to: number }[]
  completedPlaylists?: string[]
  videos?: Record<
    string,
    { intervals: [number, number][]; watchTime: number; completedAt: number | null; notes: Record<string, unknown> }
  >
}

/** The number of lock intervals that engagement keeps of each person. */
const maxLockIntervals = 32
const overdraftS = 3
const roundingS = 0.05

type CheckInput = { world: Pick<FaultWorld, 'databases'>; expectedRecords: ExpectedRecords; callLog: CallLog }

/** Checks positions, the monitoring lock, credit and completions. */
export async function checkWatching(input: CheckInput): Promise<void> {
  const { databases } = input.world
  const sessions = await databases.of('playback-session').collection<SessionRow>('monitoring_sessions').find().toArray()
  const watchers = await databases.of('engagement').collection<WatcherRow>('watchers').find().toArray()
  await checkPositions(input)
  checkLock(input, sessions)
  checkCredit(input, sessions, watchers)
  await checkCompletions(input, watchers)
}

async function checkPositions({ world, callLog }: CheckInput): Promise<void> {
  const rows = await world.databases
    .of('playback-session')
    .collection<{ _id: string; video_id?: string; position?: number }>('progress')
    .find()
    .toArray()
  const saved = new Map(rows.map(row => [row._id, `${row.video_id} ${row.position}`]))
  for (const [name, writes] of callLog.fieldWrites) {
    const [field, personId, playlistId] = name.split(' ')
    if (field !== 'progress' || !writes.some(write => write.acknowledged)) continue
    const stored = saved.get(`${personId}:${playlistId}`)
    const possible = possibleValues(writes)
    if (stored === undefined || !possible.includes(stored))
      callLog.reportViolation('progress lost', `${name}: stored is ${stored}, possible are ${possible.slice(-3)}`)
  }
}

function checkLock({ callLog }: CheckInput, sessions: readonly SessionRow[]): void {
  for (const [personId, actions] of callLog.lockActions)
    for (const { use, owner } of findUsesWithoutLock(actions, callLog.limits.unansweredMs))
      callLog.reportViolation(
        'lock owned by two',
        `${personId}: ${use.sid} used the lock at ${use.attempts.at(-1)!.sentAt}, ${owner.sid} owned it since ${owner.attempts.at(-1)!.endedAt}`,
      )
  for (const [personId, personSessions] of Map.groupBy(sessions, session => session.person_id)) {
    const inOrder = personSessions.sort((a, b) => a.fence - b.fence)
    for (const [index, session] of inOrder.entries()) {
      const next = inOrder[index + 1]
      if (!next) continue
      if (next.fence === session.fence && next.sid !== session.sid)
        callLog.reportViolation('lock owned by two', `${personId}: fence ${next.fence} belongs to two sessions`)
      if (!session.ended_at || session.ended_at > next.started_at)
        callLog.reportViolation(
          'lock owned by two',
          `${personId}: fence ${session.fence} did not end before ${next.fence} began`,
        )
    }
  }
}

/**
 * Credit never exceeds the lock's time, all honest watching is credited, and no honest person is
 * flagged.
 */
function checkCredit(
  { expectedRecords, callLog }: CheckInput,
  sessions: readonly SessionRow[],
  watchers: readonly WatcherRow[],
) {
  const lockSecondsOf = new Map<string, number>()
  for (const { person_id, started_at, ended_at, reason } of sessions) {
    // An expired session ends at its last evidence, and its lock later.
    const expiryMs = reason === 'expired' ? limits.monitoringLockMs : 0
    const seconds = ((ended_at?.getTime() ?? Date.now()) + expiryMs - started_at.getTime()) / 1_000
    lockSecondsOf.set(person_id, (lockSecondsOf.get(person_id) ?? 0) + seconds)
  }
  const watchersById = new Map(watchers.map(watcher => [watcher._id, watcher]))
  for (const { _id, videos = {} } of watchers) {
    const credited = Object.values(videos).reduce((sum, video) => sum + video.watchTime, 0)
    const maxCredit = (lockSecondsOf.get(_id) ?? 0) + overdraftS
    if (credited > maxCredit + roundingS)
      callLog.reportViolation(
        'credit from nowhere',
        `${_id}: ${credited} s credited, the lock was owned for ${maxCredit - overdraftS} s`,
      )
    for (const [key, { notes }] of Object.entries(videos))
      if (Object.keys(notes).length > 0)
        callLog.reportViolation('honest viewer doubted', `${_id} ${key}: ${JSON.stringify(notes)}`)
  }
  for (const { personId, playlistId, videoId, duration, watched } of expectedRecords.viewings) {
    const video = watchersById.get(personId)?.videos?.[`${playlistId}:${videoId}`]
    const credited = (video?.intervals ?? []).reduce((sum, [from, to]) => sum + to - from, 0)
    if (credited < 0.99 * watched - roundingS)
      callLog.reportViolation('watching lost', `${personId} ${playlistId}:${videoId}: ${credited} of ${watched} s`)
    if (watched >= duration && !video?.completedAt)
      callLog.reportViolation('completion lost', `${personId} ${playlistId}:${videoId}`)
  }
  for (const { person_id, fence, started_at, ended_at } of sessions) {
    const intervals = watchersById.get(person_id)?.holds ?? []
    const isDiscarded = intervals.length >= maxLockIntervals && fence < intervals[0]!.fence
    if (!ended_at || isDiscarded) continue
    const interval = intervals.find(candidate => candidate.fence === fence)
    if (!interval || interval.from > started_at.getTime() || interval.to < ended_at.getTime())
      callLog.reportViolation(
        'lock interval lost',
        `${person_id}: engagement has ${JSON.stringify(interval)} for fence ${fence}`,
      )
  }
}

async function checkCompletions({ world, callLog }: CheckInput, watchers: readonly WatcherRow[]): Promise<void> {
  const rows = await world.databases
    .of('playback-session')
    .collection<{ _id: string; status: string }>('assignments')
    .find()
    .toArray()
  const status = new Map(rows.map(row => [row._id, row.status]))
  for (const { _id, completedPlaylists = [] } of watchers) {
    const completed = new Set(completedPlaylists)
    if (completed.size !== completedPlaylists.length)
      callLog.reportViolation('completed twice', `${_id}: ${completedPlaylists}`)
    for (const playlistId of completed) {
      const storedStatus = status.get(`${_id}:${playlistId}`)
      if (storedStatus !== undefined && storedStatus !== 'completed')
        callLog.reportViolation('event lost', `playback-session does not know that ${_id} completed ${playlistId}`)
    }
  }
}

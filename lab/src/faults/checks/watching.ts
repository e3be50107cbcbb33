import type { CallLog } from '../call-log.ts'
import type { ExpectedRecords } from '../expected-records.ts'
import type { FaultWorld } from '../fault-world.ts'
import { possibleValues, usesWithoutLock } from '../possible-values.ts'

interface SessionRow {
  _id: string
  person_id: string
  sid: string
  fence: number
  started_at: Date
  ended_at?: Date
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

/** The latest lock interval that engagement knows of. */
const holdsRemembered = 32
const overdraftS = 3
const roundingS = 0.05

type Checking = { world: Pick<FaultWorld, 'databases'>; expectedRecords: ExpectedRecords; callLog: CallLog }

/** Checks positions, the monitoring lock, credit and completions. */
export async function checkWatching(checking: Checking): Promise<void> {
  const { databases } = checking.world
  const sessions = await databases.of('playback-session').collection<SessionRow>('monitoring_sessions').find().toArray()
  const watchers = await databases.of('engagement').collection<WatcherRow>('watchers').find().toArray()
  await checkPositions(checking)
  checkLock(checking, sessions)
  checkCredit(checking, sessions, watchers)
  await checkCompletions(checking, watchers)
}

async function checkPositions({ world, callLog }: Checking): Promise<void> {
  const rows = await world.databases
    .of('playback-session')
    .collection<{ _id: string; video_id?: string; position?: number }>('progress')
    .find()
    .toArray()
  const saved = new Map(rows.map(row => [row._id, `${row.video_id} ${row.position}`]))
  for (const [name, writes] of callLog.registers) {
    const [what, personId, playlistId] = name.split(' ')
    if (what !== 'progress' || !writes.some(each => each.acknowledged)) continue
    const found = saved.get(`${personId}:${playlistId}`)
    const possible = possibleValues(writes)
    if (found === undefined || !possible.includes(found))
      callLog.violation('progress lost', `${name}: ${found} is saved, acknowledged last was ${possible.slice(-3)}`)
  }
}

function checkLock({ callLog }: Checking, sessions: readonly SessionRow[]): void {
  for (const [personId, steps] of callLog.lockSteps)
    for (const { use, holder } of usesWithoutLock(steps))
      callLog.violation(
        'lock held by two',
        `${personId}: ${use.sid} was let in at ${use.tries.at(-1)!.sentAt}, ${holder.sid} held since ${holder.tries.at(-1)!.endedAt}`,
      )
  for (const [personId, own] of Map.groupBy(sessions, each => each.person_id)) {
    const inOrder = own.sort((one, other) => one.fence - other.fence)
    for (const [index, session] of inOrder.entries()) {
      const next = inOrder[index + 1]
      if (!next) continue
      if (next.fence === session.fence && next.sid !== session.sid)
        callLog.violation('lock held by two', `${personId}: fence ${next.fence} was given to two sessions`)
      if (!session.ended_at || session.ended_at > next.started_at)
        callLog.violation(
          'lock held by two',
          `${personId}: fence ${session.fence} did not end before ${next.fence} began`,
        )
    }
  }
}

/** Credit never exceeds the lock's time, all honest watching is credited, and no honest person is flagged. */
function checkCredit(
  { expectedRecords, callLog }: Checking,
  sessions: readonly SessionRow[],
  watchers: readonly WatcherRow[],
) {
  const heldS = new Map<string, number>()
  for (const { person_id, started_at, ended_at } of sessions) {
    const seconds = ((ended_at?.getTime() ?? Date.now()) - started_at.getTime()) / 1_000
    heldS.set(person_id, (heldS.get(person_id) ?? 0) + seconds)
  }
  const known = new Map(watchers.map(each => [each._id, each]))
  for (const { _id, videos = {} } of watchers) {
    const credited = Object.values(videos).reduce((sum, each) => sum + each.watchTime, 0)
    const most = (heldS.get(_id) ?? 0) + overdraftS
    if (credited > most + roundingS)
      callLog.violation(
        'credit from nowhere',
        `${_id}: ${credited} s credited, the lock was held ${most - overdraftS} s`,
      )
    for (const [key, { notes }] of Object.entries(videos))
      if (Object.keys(notes).length > 0)
        callLog.violation('honest viewer doubted', `${_id} ${key}: ${JSON.stringify(notes)}`)
  }
  for (const { personId, playlistId, videoId, duration, watched } of expectedRecords.viewings) {
    const video = known.get(personId)?.videos?.[`${playlistId}:${videoId}`]
    const credited = (video?.intervals ?? []).reduce((sum, [from, to]) => sum + to - from, 0)
    if (credited < 0.99 * watched - roundingS)
      callLog.violation('watching lost', `${personId} ${playlistId}:${videoId}: ${credited} of ${watched} s`)
    if (watched >= duration && !video?.completedAt)
      callLog.violation('completion lost', `${personId} ${playlistId}:${videoId}`)
  }
  for (const { person_id, fence, started_at, ended_at } of sessions) {
    const holds = known.get(person_id)?.holds ?? []
    const forgotten = holds.length >= holdsRemembered && fence < holds[0]!.fence
    if (!ended_at || forgotten) continue
    const hold = holds.find(each => each.fence === fence)
    if (!hold || hold.from > started_at.getTime() || hold.to < ended_at.getTime())
      callLog.violation('hold lost', `${person_id}: engagement knows ${JSON.stringify(hold)} of fence ${fence}`)
  }
}

async function checkCompletions({ world, callLog }: Checking, watchers: readonly WatcherRow[]): Promise<void> {
  const rows = await world.databases
    .of('playback-session')
    .collection<{ _id: string; status: string }>('assignments')
    .find()
    .toArray()
  const status = new Map(rows.map(row => [row._id, row.status]))
  for (const { _id, completedPlaylists = [] } of watchers) {
    const completed = new Set(completedPlaylists)
    if (completed.size !== completedPlaylists.length)
      callLog.violation('completed twice', `${_id}: ${completedPlaylists}`)
    for (const playlistId of completed) {
      const known = status.get(`${_id}:${playlistId}`)
      if (known !== undefined && known !== 'completed')
        callLog.violation('event lost', `playback-session does not know that ${_id} completed ${playlistId}`)
    }
  }
}

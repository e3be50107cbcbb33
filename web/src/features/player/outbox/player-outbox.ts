import { limits } from '@watchline/contracts/limits'
import type { Answer } from '../../../api/call-operation.ts'
import { createDatabaseStorage } from '../../../outbox/database-storage.ts'
import { createOutbox } from '../../../outbox/outbox.ts'
import type { HideLane, Outbox, OutboxEntry, OutboxOptions, OutboxRules } from '../../../outbox/outbox-types.ts'
import { isTemporary } from '../../../outbox/retry-policy.ts'
import type { AttentionBody, PlayerApi, PlayerCall, SaveProgressBody } from '../player-api.ts'
import { createReportMerging } from './report-merging.ts'

export type PlayerOutbox = Outbox<PlayerCall>
type PlayerEntry = OutboxEntry<PlayerCall>

export interface PlayerOutboxOptions extends Partial<Omit<OutboxOptions<PlayerCall, unknown>, 'request'>> {
  personId: string
  api: Pick<PlayerApi, 'send'>
}

/** The player's unsent reports, positions and lock requests. */
export function createPlayerOutbox({ personId, api, ...options }: PlayerOutboxOptions): PlayerOutbox {
  const log = options.log ?? ((message, detail) => console.warn(`player outbox: ${message}`, detail))
  return createOutbox<PlayerCall>(playerRules(personId), {
    storage: createDatabaseStorage(personId, log),
    ...options,
    log,
    request: api.send,
  })
}

/**
 * Sends the calls of sessions that were left. Positions wait for a session: without the lock the
 * server refuses them for good. A release in time carries the latest position itself. Without
 * `sendsReports` the reports wait for a session, too.
 */
export function createLeftSessionOutbox({
  sendsReports,
  ...options
}: PlayerOutboxOptions & { sendsReports: boolean }): PlayerOutbox {
  const storage = createDatabaseStorage<PlayerCall>(options.personId, console.warn)
  const isSent = (entry: PlayerEntry) => !waitsForSession(entry) && (sendsReports || entry.call.kind !== 'track')
  const read = async () => (await storage.read()).filter(isSent)
  return createPlayerOutbox({ ...options, storage: { ...storage, read } })
}

/** Whether sessions were left with calls that need no session. */
export async function hasLeftSessionCalls(personId: string): Promise<boolean> {
  const storage = createDatabaseStorage<PlayerCall>(personId, () => {})
  try {
    return !(await storage.read()).every(waitsForSession)
  } finally {
    storage.close?.()
  }
}

function waitsForSession({ call }: PlayerEntry): boolean {
  return call.kind === 'save-progress'
}

function playerRules(personId: string): OutboxRules<PlayerCall> {
  const findMerged = createReportMerging()
  return {
    lockName: `watchline-journal-${personId}`,
    // If one service is down, only its own calls wait. Comments are of pages of earlier versions.
    laneOf: ({ kind }) => (kind === 'monitoring' || kind === 'save-progress' ? 'session' : 'reports'),
    // With a report that arrives first, the server would note a missing answer.
    goesFirst: ({ kind }) => kind === 'attention-check',
    decide: failure => (isTemporary(failure) ? 'retry' : 'drop'),
    idOf: call =>
      call.kind === 'track' ? call.body.event_id : call.kind === 'comment' ? call.body.client_id : undefined,
    replaces(call, isUnsent) {
      const merged = call.kind === 'track' ? findMerged(call.body, isUnsent) : undefined
      return earlier => supersedes(call, earlier.call) || earlier.id === merged
    },
    // The lock has expired by then. A late release would take it from its next owner.
    isExpired: ({ call, at }, now) => call.kind === 'monitoring' && now - at > limits.monitoringLockMs,
    hideLanes,
    finishesOnClose: true,
  }
}

/**
 * Only the latest position of a video and the latest monitoring call count. An answer to a check
 * replaces the same answer; a request for more time stays, because it makes the later one in time.
 */
function supersedes(call: PlayerCall, earlier: PlayerCall): boolean {
  if (call.kind === 'attention-check')
    return earlier.kind === 'attention-check' && isSameAnswer(call.body, earlier.body)
  if (call.kind === 'monitoring') return earlier.kind === 'monitoring'
  if (call.kind !== 'save-progress' || earlier.kind !== 'save-progress') return false
  return call.body.playlist_id === earlier.body.playlist_id && call.body.video_id === earlier.body.video_id
}

function isSameAnswer(body: AttentionBody, earlier: AttentionBody): boolean {
  return body.id === earlier.id && body.action === earlier.action
}

/**
 * The release carries the position, too. A save before it would keep the lock if the page closed in
 * between. So the release is sent alone and covers the position.
 */
function hideLanes(entries: readonly PlayerEntry[]): HideLane<PlayerCall>[] {
  const ofKind = (kind: PlayerCall['kind']) => entries.filter(({ call }) => call.kind === kind)
  const release = ofKind('monitoring').at(-1)
  const covered = entries.filter(({ call }) => release && hasPositionOf(release.call, call))
  return [
    { entries: [...ofKind('attention-check'), ...ofKind('track')] },
    { entries: ofKind('comment') },
    { entries: ofKind('save-progress').filter(entry => !covered.includes(entry)) },
    { entries: release ? [release] : [], covered },
  ]
}

function hasPositionOf(release: PlayerCall, call: PlayerCall): boolean {
  if (release.kind !== 'monitoring' || release.body.is_monitoring || call.kind !== 'save-progress') return false
  const { playlist_id, current_video_id, video_progress } = release.body
  return (
    playlist_id === call.body.playlist_id &&
    current_video_id === call.body.video_id &&
    video_progress === call.body.progress
  )
}

/** The server gave the monitoring lock to another session of this person. */
export function isMonitoringElsewhere(answer: Answer<unknown>): boolean {
  return !answer.ok && answer.status === 409 && answer.code === 'monitoring_elsewhere'
}

export interface UnsentPosition {
  id: string
  /** When it was stored, by the clock of this device (ms). */
  at: number
  body: SaveProgressBody
}

/** The positions in the playlist that the server has not acknowledged, oldest first. */
export async function readUnsentPositions(outbox: PlayerOutbox, playlistId: string): Promise<UnsentPosition[]> {
  const entries = await outbox.read()
  return entries.flatMap(({ id, at, call }) =>
    call.kind === 'save-progress' && call.body.playlist_id === playlistId ? [{ id, at, body: call.body }] : [],
  )
}

/** Parts of the playlist were watched that the server does not know yet. */
export async function hasUnsentReports(outbox: PlayerOutbox, playlistId: string): Promise<boolean> {
  const entries = await outbox.read()
  return entries.some(({ call }) => call.kind === 'track' && call.body.playlist_id === playlistId)
}

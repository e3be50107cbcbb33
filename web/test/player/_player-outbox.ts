import { IDBFactory } from 'fake-indexeddb'
import type { Answer } from '../../src/api/call-operation.ts'
import {
  createPlayerOutbox,
  type PlayerOutbox,
  type PlayerOutboxOptions,
} from '../../src/features/player/outbox/player-outbox.ts'
import type { PlayerCall } from '../../src/features/player/player-api.ts'
import { createDatabaseStorage } from '../../src/outbox/database-storage.ts'
import type { OutboxStorage } from '../../src/outbox/outbox-types.ts'
import { createTimers } from './_answers.ts'

export const makeProgress = (videoId: string, seconds: number) =>
  ({
    kind: 'save-progress',
    body: { playlist_id: 'p1', video_id: videoId, video_index: 0, progress: seconds },
  }) as const
export const sessionPosition = { playlist_id: 'p1', current_video_id: 'v0', current_video_index: 0, video_progress: 0 }
export const stopCall = { kind: 'monitoring', body: { is_monitoring: false, ...sessionPosition } } as const
export const startCall = { kind: 'monitoring', body: { is_monitoring: true, ...sessionPosition } } as const
let reportCount = 0
export const makeReport = (event: 'play' | 'pause' | 'playing' = 'playing') => {
  reportCount += 1
  const id = `00000000-0000-4000-8000-${String(reportCount).padStart(12, '0')}`
  return {
    kind: 'track',
    body: {
      video_id: 'v0',
      playlist_id: 'p1',
      watch_time: reportCount,
      event_type: event,
      event_id: id,
      playback_rate: 1,
      client_time: '2026-01-01T00:00:00.000Z',
    },
  } as const
}

/** Makes a report at `clientSeconds` (s) of the client's clock, by default the watch time. */
export const makePlayReport = (
  event: 'play' | 'playing' | 'pause' | 'ended',
  watchTime: number,
  clientSeconds = watchTime,
  rate = 1,
) => {
  const { body } = makeReport()
  const client_time = new Date(1_800_000_000_000 + clientSeconds * 1_000).toISOString()
  return {
    kind: 'track',
    body: { ...body, event_type: event, watch_time: watchTime, client_time, playback_rate: rate },
  } as const
}
export const describeReport = ({ body }: { body: unknown }) => {
  const { event_type, watch_time } = body as { event_type: string; watch_time: number }
  return `${event_type} ${watch_time}`
}

/** One browser: the outboxes of its tabs and reloads share its database and its locks. */
export function createBrowser() {
  const factory = new IDBFactory()
  const lockQueues = new Map<string, Promise<unknown>>()
  const locks = {
    request(name: string, run: () => Promise<unknown>) {
      const result = (lockQueues.get(name) ?? Promise.resolve()).then(run)
      lockQueues.set(
        name,
        result.catch(() => {}),
      )
      return result
    },
  } as unknown as NonNullable<PlayerOutboxOptions['locks']>
  const activate = () => {
    globalThis.indexedDB = factory
  }
  return {
    activate,
    openOutbox(options: Partial<PlayerOutboxOptions> & Pick<PlayerOutboxOptions, 'api'>) {
      activate()
      const timers = createTimers()
      const logMessages: string[] = []
      const outbox = createPlayerOutbox({
        personId: 'trainee1',
        locks,
        now: timers.now,
        random: () => 1,
        schedule: timers.schedule,
        log: message => logMessages.push(message),
        storage: createDatabaseStorage(options.personId ?? 'trainee1', () => {}),
        ...options,
      })
      return { outbox, timers, logMessages }
    },
  }
}

/** The storage of a browser that stores nothing. */
export const noStorage: OutboxStorage<PlayerCall> = { read: () => [], add: () => false, remove: () => {} }

export const countPending = ({ entries }: Pick<PlayerOutbox, 'entries'>) => entries.get().length
export const outboxStatus = (outbox: PlayerOutbox) => ({ pending: countPending(outbox), online: outbox.online.get() })

/** An answer that the test gives later. */
export function createPendingAnswer() {
  const { promise, resolve } = Promise.withResolvers<Answer<never>>()
  return { answer: promise, resolve }
}

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

export const progress = (videoId: string, seconds: number) =>
  ({
    kind: 'save-progress',
    body: { playlist_id: 'p1', video_id: videoId, video_index: 0, progress: seconds },
  }) as const
export const place = { playlist_id: 'p1', current_video_id: 'v0', current_video_index: 0, video_progress: 0 }
export const stopped = { kind: 'monitoring', body: { is_monitoring: false, ...place } } as const
export const started = { kind: 'monitoring', body: { is_monitoring: true, ...place } } as const
let reports = 0
export const report = (event: 'play' | 'pause' | 'playing' = 'playing') => {
  reports += 1
  const id = `00000000-0000-4000-8000-${String(reports).padStart(12, '0')}`
  return {
    kind: 'track',
    body: {
      video_id: 'v0',
      playlist_id: 'p1',
      watch_time: reports,
      event_type: event,
      event_id: id,
      playback_rate: 1,
      client_time: '2026-01-01T00:00:00.000Z',
    },
  } as const
}

/** A report of one play at the time `at` (s), by default in step with the playback. */
export const played = (event: 'play' | 'playing' | 'pause' | 'ended', watchTime: number, at = watchTime, rate = 1) => {
  const { body } = report()
  const client_time = new Date(1_800_000_000_000 + at * 1_000).toISOString()
  return {
    kind: 'track',
    body: { ...body, event_type: event, watch_time: watchTime, client_time, playback_rate: rate },
  } as const
}
export const kindAndTime = ({ body }: { body: unknown }) => {
  const { event_type, watch_time } = body as { event_type: string; watch_time: number }
  return `${event_type} ${watch_time}`
}

/** One browser: its database and locks are shared by the outboxes (tabs, reloads) opened in it. */
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
  const use = () => {
    globalThis.indexedDB = factory
  }
  return {
    use,
    open(options: Partial<PlayerOutboxOptions> & Pick<PlayerOutboxOptions, 'api'>) {
      use()
      const timers = createTimers()
      const logged: string[] = []
      const outbox = createPlayerOutbox({
        personId: 'trainee1',
        locks,
        now: timers.now,
        random: () => 1,
        schedule: timers.schedule,
        log: message => logged.push(message),
        storage: createDatabaseStorage(options.personId ?? 'trainee1', () => {}),
        ...options,
      })
      return { outbox, timers, logged }
    },
  }
}

/** The storage of a browser that stores nothing. */
export const noStorage: OutboxStorage<PlayerCall> = { read: () => [], add: () => false, remove: () => {} }

export const pendingOf = ({ entries }: Pick<PlayerOutbox, 'entries'>) => entries.get().length
export const statusOf = (outbox: PlayerOutbox) => ({ pending: pendingOf(outbox), online: outbox.online.get() })

/** An answer that the test gives later. */
export const createGate = () => {
  let open = (_answer: Answer<never>) => {}
  const answer = new Promise<Answer<never>>(resolve => {
    open = resolve
  })
  return { answer, open }
}

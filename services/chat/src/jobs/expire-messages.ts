import type { Clock } from '@watchline/kit/core/clock'
import { createRepeatedJob, type RepeatedJob } from '@watchline/kit/core/repeat'
import type { Logger } from '@watchline/kit/observability/log'
import type { RoomStore } from '../store/rooms.ts'

export interface MessageExpiry extends RepeatedJob {
  expireOnce(): Promise<void>
}

const pauseMs = 6 * 3600_000

/** Removes recent messages that are older than messages are kept. MongoDB expires the archive. */
export function createMessageExpiry(
  { rooms, clock, log }: { rooms: RoomStore; clock: Clock; log: Logger },
  retentionS: number,
): MessageExpiry {
  const expireOnce = () => rooms.expireMessages(new Date(clock.now() - retentionS * 1_000))
  const onError = (error: unknown) => log.warn({ err: error }, 'expiry of messages failed, retrying later')
  const job = createRepeatedJob(expireOnce, { pauseMs, jitter: true, onError })
  return {
    ...job,
    expireOnce,
    start: () => {
      expireOnce().catch(onError)
      job.start()
    },
  }
}

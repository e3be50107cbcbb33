import { type Schedule, scheduleTimeout } from '../../../api/schedule.ts'

/** The right of one window to play, among the windows of this browser. */
export interface WindowLock {
  /** False: another window plays. With `takeOver` that window stops and saves first. */
  acquire(takeOver: boolean): Promise<boolean>
  release(): void
  close(): void
}

/** The playback of this window, as the other windows affect it. */
export interface WindowPlayback {
  /** Stops and saves. Resolves when the server has everything, or cannot be reached. */
  handOver(): Promise<void>
  /** Another window plays now. */
  displace(): void
}

export interface WindowLockOptions {
  personId: string
  locks: Pick<LockManager, 'request'> | undefined
  schedule?: Schedule | undefined
}

/** A window that does not answer for this long (ms) loses the lock. */
const handOverMs = 5_000
/** A window that has just stopped, perhaps by a reload, frees the lock within this time (ms). */
const releaseMs = 500

/**
 * Guarantees that one window of a browser plays at a time, because all of them share the login
 * session that owns the server's monitoring lock. Without Web Locks every window may play.
 */
export function createWindowLock(
  playback: WindowPlayback,
  { personId, locks, schedule = scheduleTimeout }: WindowLockOptions,
): WindowLock {
  const name = `watchline-playing-${personId}`
  const channel = locks && typeof BroadcastChannel !== 'undefined' ? new BroadcastChannel(name) : undefined
  let free: (() => void) | undefined
  let waiting: { granted: Promise<boolean>; cancel: () => void } | undefined
  /** Counts releases: a lock that is granted after its release is freed at once. */
  let releases = 0

  if (channel)
    channel.onmessage = ({ data }) => {
      if (data === 'take-over') void handOver()
      else if (data === 'playing' && !free) playback.displace()
    }

  async function handOver(): Promise<void> {
    const freeHeld = free
    free = undefined
    if (!freeHeld) return
    await playback.handOver().finally(freeHeld)
  }

  function request(options: LockOptions): Promise<boolean> {
    const attempt = releases
    return new Promise(resolve => {
      let freeGranted: (() => void) | undefined
      const ended = locks!.request(name, options, () => {
        if (attempt !== releases) return undefined
        return new Promise<void>(end => {
          freeGranted = end
          free = end
          resolve(true)
        })
      })
      ended
        .catch(() => {
          if (!freeGranted || free !== freeGranted) return
          // Another window has stolen the lock from this one.
          free = undefined
          playback.displace()
        })
        .finally(() => resolve(false))
    })
  }

  async function requestInTime(takeOver: boolean, controller: AbortController): Promise<boolean> {
    const attempt = releases
    if (takeOver) channel?.postMessage('take-over')
    const cancelTimer = schedule(takeOver ? handOverMs : releaseMs, () => controller.abort())
    let isGranted = await request({ signal: controller.signal })
    cancelTimer()
    if (!isGranted && takeOver && attempt === releases) isGranted = await request({ steal: true })
    if (attempt !== releases) return false
    waiting = undefined
    if (isGranted) channel?.postMessage('playing')
    return isGranted
  }

  function release(): void {
    releases += 1
    waiting?.cancel()
    waiting = undefined
    free?.()
    free = undefined
  }

  return {
    async acquire(takeOver) {
      if (!locks || free) return true
      if (!waiting) {
        const controller = new AbortController()
        waiting = { granted: requestInTime(takeOver, controller), cancel: () => controller.abort() }
      }
      return waiting.granted
    },
    release,
    close() {
      release()
      channel?.close()
    },
  }
}

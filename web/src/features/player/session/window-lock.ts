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
  showOtherWindowPlays(): void
}

export interface WindowLockOptions {
  personId: string
  /** Without `query`, a lock that is not granted in time counts as held by another window. */
  locks: (Pick<LockManager, 'request'> & Partial<Pick<LockManager, 'query'>>) | undefined
  schedule?: Schedule | undefined
  log?: (message: string, detail: unknown) => void
}

/** A window that does not answer for this long (ms) loses the lock. */
const handOverMs = 5_000
/**
 * A window that has just stopped, perhaps by a reload, frees the lock within this time (ms). A busy
 * browser may need longer to grant a lock that is free.
 */
const releaseMs = 500
const logWarning = (message: string, detail: unknown) => console.warn(`window lock: ${message}`, detail)

/** The Web Lock of the window in which this person plays. */
export function windowLockName(personId: string): string {
  return `watchline-playing-${personId}`
}

/**
 * Guarantees that one window of a browser plays at a time, because all of them share the login
 * session that owns the server's monitoring lock. Without locks every window may play.
 */
export function createWindowLock(
  playback: WindowPlayback,
  { personId, locks, schedule = scheduleTimeout, log = logWarning }: WindowLockOptions,
): WindowLock {
  const name = windowLockName(personId)
  const channel = locks && typeof BroadcastChannel !== 'undefined' ? new BroadcastChannel(name) : undefined
  let releaseWebLock: (() => void) | undefined
  let pendingRequest: { granted: Promise<boolean>; cancel: () => void } | undefined
  /** A lock that is granted after its release is freed at once. */
  let releaseCount = 0

  if (channel)
    channel.onmessage = ({ data }) => {
      if (data === 'take-over') void handOver()
      else if (data === 'playing' && !releaseWebLock) playback.showOtherWindowPlays()
    }

  async function handOver(): Promise<void> {
    const heldRelease = releaseWebLock
    releaseWebLock = undefined
    if (!heldRelease) return
    try {
      await playback.handOver()
    } catch (error) {
      log('could not save before another window plays', error)
    } finally {
      heldRelease()
    }
  }

  function request(options: LockOptions): Promise<'granted' | 'refused' | 'no Web Locks'> {
    const countAtRequest = releaseCount
    return new Promise(resolve => {
      let grantedRelease: (() => void) | undefined
      const lockRequest = locks!.request(name, options, () => {
        if (countAtRequest !== releaseCount) return undefined
        return new Promise<void>(end => {
          grantedRelease = end
          releaseWebLock = end
          resolve('granted')
        })
      })
      lockRequest
        .catch(error => {
          if (grantedRelease) {
            if (releaseWebLock !== grantedRelease) return
            // Another window has stolen the lock from this one.
            releaseWebLock = undefined
            playback.showOtherWindowPlays()
          } else if ((error as Error).name !== 'AbortError') {
            log('the browser refuses Web Locks, playing without', error)
            resolve('no Web Locks')
          }
        })
        .finally(() => resolve('refused'))
    })
  }

  /** Calls `run` as soon as another window has the lock; looks every `releaseMs`. */
  function onceHeld(run: () => void): () => void {
    let isOver = false
    let cancelTimer = schedule(releaseMs, look)
    async function look() {
      const isHeld = await isLockHeld()
      if (isOver) return
      if (isHeld) run()
      else cancelTimer = schedule(releaseMs, look)
    }
    return () => {
      isOver = true
      cancelTimer()
    }
  }

  async function isLockHeld(): Promise<boolean> {
    if (!locks?.query) return true
    try {
      const { held = [] } = await locks.query()
      return held.some(lock => lock.name === name)
    } catch (error) {
      log('the browser does not say who has the lock', error)
      return true
    }
  }

  async function requestInTime(takeOver: boolean, controller: AbortController): Promise<boolean> {
    const countAtRequest = releaseCount
    if (takeOver) channel?.postMessage('take-over')
    const abort = () => controller.abort()
    const cancelTimer = takeOver ? schedule(handOverMs, abort) : onceHeld(abort)
    let answer = await request({ signal: controller.signal })
    cancelTimer()
    if (answer === 'refused' && takeOver && countAtRequest === releaseCount) answer = await request({ steal: true })
    if (countAtRequest !== releaseCount) return false
    pendingRequest = undefined
    if (answer === 'granted') channel?.postMessage('playing')
    return answer !== 'refused'
  }

  function release(): void {
    releaseCount += 1
    pendingRequest?.cancel()
    pendingRequest = undefined
    releaseWebLock?.()
    releaseWebLock = undefined
  }

  return {
    async acquire(takeOver) {
      if (!locks || releaseWebLock) return true
      if (!pendingRequest) {
        const controller = new AbortController()
        pendingRequest = { granted: requestInTime(takeOver, controller), cancel: () => controller.abort() }
      }
      return pendingRequest.granted
    },
    release,
    close() {
      release()
      channel?.close()
    },
  }
}

/*
 * What may lie in a place that was written several times, by one client after another, when some calls were never answered. Pure, so
 * that what the oracle judges by is itself tested.
 */

/** One try of a call. */
export interface Try {
  sentAt: number
  endedAt: number
  /** 0: no answer came. */
  status: number
}

/** A write as its client knows it. Instants in ms. */
export interface Write<V> {
  value: V
  /** It had no effect before this. */
  from: number
  /** It has no effect after this. */
  until: number
  acknowledged: boolean
}

/**
 * A try without an answer, or with "could not say" for one (5xx), may still be under way: in the buffer of a process that was stopped,
 * say. No fault lasts so long that it has an effect after this.
 */
export const unansweredMs = 20_000

export const isAcknowledged = (status: number) => status >= 200 && status < 300
export const isUndecided = (status: number) => status === 0 || status === 429 || status >= 500

/** The write that some tries of one call make, of which the last is the one that was answered, if any was. */
export function writeOf<V>(value: V, tries: readonly Try[]): Write<V> {
  const last = tries.at(-1)!
  const until = tries.map(each => (isUndecided(each.status) ? each.sentAt + unansweredMs : each.endedAt))
  return {
    value,
    from: tries[0]!.sentAt,
    until: Math.max(...until),
    acknowledged: isAcknowledged(last.status),
  }
}

/** The values that the place may hold in the end: those of writes that no acknowledged one certainly came after. */
export function possibleValues<V>(writes: readonly Write<V>[]): V[] {
  const overwritten = (write: Write<V>) => writes.some(other => other.acknowledged && other.from > write.until)
  return writes.filter(write => !overwritten(write)).map(write => write.value)
}

/** What one login session of a person did with the monitoring lock. */
export interface LockStep {
  sid: string
  what: 'take' | 'use' | 'release'
  tries: readonly Try[]
}

/**
 * Uses of the lock that were answered with "yes" although, whatever the calls without an answer may have done, another session held it
 * all the while: it had taken the lock over before the use was sent, and had not given it back before the use was answered.
 */
export function usesWithoutLock(steps: readonly LockStep[]): { use: LockStep; holder: LockStep }[] {
  const known = steps.map(step => ({ step, ...writeOf(step.sid, step.tries) }))
  const takes = known.filter(({ step }) => step.what === 'take')
  const wrong: { use: LockStep; holder: LockStep }[] = []
  for (const use of known) {
    if (use.step.what !== 'use' || !use.acknowledged) continue
    // Only the try that was answered was let through.
    const sentAt = use.step.tries.at(-1)!.sentAt
    const endedAt = use.step.tries.at(-1)!.endedAt
    const holder = takes.find(
      take =>
        take.acknowledged &&
        take.value !== use.value &&
        take.until < sentAt &&
        // Nobody else, the user included, may have taken it after that …
        !takes.some(other => other.value !== take.value && other.until > take.from && other.from < endedAt) &&
        // … and the holder did not give it back.
        !known.some(
          other =>
            other.step.what === 'release' &&
            other.value === take.value &&
            other.until > take.from &&
            other.from < endedAt,
        ),
    )
    if (holder) wrong.push({ use: use.step, holder: holder.step })
  }
  return wrong
}

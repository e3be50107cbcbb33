import type { Hint } from '@watchline/contracts/notification'

/**
 * Keeps hints of one kind apart, by so many ms: the first goes out at once, of those that come too soon after it the last does, as
 * soon as it may.
 */
export interface Spacing {
  take(hint: Hint): void
  /** What waits is not said any more. */
  stop(): void
}

export function createSpacing(spacingOf: (hint: Hint) => number, say: (hint: Hint) => void): Spacing {
  const resting = new Map<string, { timer: NodeJS.Timeout; next?: Hint }>()

  function sayNow(kind: string, hint: Hint) {
    say(hint)
    resting.set(kind, { timer: setTimeout(rested, spacingOf(hint), kind) })
  }

  function rested(kind: string) {
    const next = resting.get(kind)?.next
    resting.delete(kind)
    if (next) sayNow(kind, next)
  }

  return {
    take: hint => {
      const kind = kindOf(hint)
      const rest = resting.get(kind)
      if (rest) rest.next = hint
      else sayNow(kind, hint)
    },
    stop: () => {
      for (const { timer } of resting.values()) clearTimeout(timer)
      resting.clear()
    },
  }
}

/** Rooms are told apart: a hint about one says nothing of another. */
function kindOf(hint: Hint): string {
  return hint.type === 'chat' ? `chat ${hint.room_id}` : hint.type
}

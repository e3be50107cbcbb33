import type { Hint } from '@watchline/contracts/notification'

/**
 * Throttles the hints of one kind: the first goes out at once, and of those within the spacing only
 * the last, when the spacing is over.
 */
export interface HintSpacing {
  send(hint: Hint): void
  /** Drops the hints that wait. */
  stop(): void
}

/** `spacingMs` returns the least time between two hints of the kind, in ms. */
export function createHintSpacing(spacingMs: (hint: Hint) => number, push: (hint: Hint) => void): HintSpacing {
  const spacedKinds = new Map<string, { timer: NodeJS.Timeout; next?: Hint }>()

  function pushNow(kind: string, hint: Hint) {
    push(hint)
    spacedKinds.set(kind, { timer: setTimeout(pushNext, spacingMs(hint), kind) })
  }

  function pushNext(kind: string) {
    const next = spacedKinds.get(kind)?.next
    spacedKinds.delete(kind)
    if (next) pushNow(kind, next)
  }

  return {
    send: hint => {
      const kind = kindOf(hint)
      const spaced = spacedKinds.get(kind)
      if (spaced) spaced.next = hint
      else pushNow(kind, hint)
    },
    stop: () => {
      for (const { timer } of spacedKinds.values()) clearTimeout(timer)
      spacedKinds.clear()
    },
  }
}

/** Each chat room is a kind of its own: a hint about one room must not replace that of another. */
function kindOf(hint: Hint): string {
  return hint.type === 'chat' ? `chat ${hint.room_id}` : hint.type
}

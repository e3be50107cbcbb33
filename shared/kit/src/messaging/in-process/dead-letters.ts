import {
  type BusLog,
  type DeadLetter,
  deadLetterId,
  deadLettersListed,
  type FailedAttempt,
  parseDeadLetter,
  reasonOf,
} from '../event-bus.ts'

export interface StoredDeadLetter {
  group: string
  type: string
  /** The event's JSON. */
  text: string
  reason: string
  /** ISO 8601. */
  at: string
  /** Absent in old files. */
  tries?: FailedAttempt[]
  /** Redriven when its group starts to consume: the request came while the process was down. */
  again?: true
}

/** Where dead letters survive the process. Both calls are rare, and the bus waits for them. */
export interface DeadLetterStore {
  load(): StoredDeadLetter[]
  save(letters: readonly StoredDeadLetter[]): void
}

export type DeadEvent = Omit<StoredDeadLetter, 'group' | 'tries'> & { tries: FailedAttempt[] }

export interface GroupDeadLetters {
  /** Throws if the store rejects them; the event is then not safe here. */
  add(dead: DeadEvent): void
  list(limit?: number): DeadLetter[]
  /**
   * Delivers those with these ids, or all, again. Returns their number. Those that fail become dead
   * letters once more.
   */
  redrive(ids: readonly string[] | undefined): number
  /** Delivers those of these types that were to be redriven while the process was down. */
  redriveRequested(types: ReadonlySet<string>): void
  drop(ids: readonly string[] | 'all', archive: (letter: DeadLetter) => Promise<void>): Promise<number>
  replace(ids: readonly string[], replacementOf: (letter: DeadLetter) => object | undefined): number
  /** As they are stored, with those that are being redriven. */
  stored(): DeadEvent[]
}

export interface GroupDeadLettersOptions {
  group: string
  /** Dead letters of an earlier process. */
  loaded: readonly DeadEvent[]
  /** Resolves when the group has handled the event, rejects if it cannot. */
  deliver(dead: DeadEvent): Promise<void>
  /** Stores the dead letters of all groups. */
  save(): void
  log: BusLog | undefined
}

const maxDeadLetters = 10_000

export function createGroupDeadLetters({
  group,
  loaded,
  deliver,
  save,
  log,
}: GroupDeadLettersOptions): GroupDeadLetters {
  let letters: DeadEvent[] = [...loaded]
  /** Not handled yet, so they are stored: the process may end now. */
  const redriving = new Set<DeadEvent>()

  function add(dead: DeadEvent): void {
    letters.push(dead)
    if (letters.length > maxDeadLetters) {
      const lost = letters.shift()!
      const fields = { group, type: lost.type, event_id: toDeadLetter(lost).id }
      log?.error(fields, 'too many dead letters: the oldest is lost')
    }
    save()
  }

  function redriveWhere(predicate: (dead: DeadEvent) => boolean): number {
    const selected: DeadEvent[] = []
    const remaining: DeadEvent[] = []
    for (const dead of letters) (predicate(dead) ? selected : remaining).push(dead)
    letters = remaining
    for (const { again: _again, ...dead } of selected) {
      redriving.add(dead)
      deliver(dead)
        .finally(() => redriving.delete(dead))
        // Its publisher believes that the event is safe, so an undeliverable event stays a dead
        // letter.
        .then(save, error => add({ ...dead, reason: reasonOf(error), at: new Date().toISOString() }))
        .catch(error => log?.error({ group, type: dead.type, reason: reasonOf(error) }, 'dead letters not stored'))
    }
    return selected.length
  }

  return {
    add,
    list: (limit = deadLettersListed) => letters.slice(0, limit).map(toDeadLetter),
    redrive: ids => {
      const selectedIds = ids && new Set(ids)
      return redriveWhere(dead => !selectedIds || selectedIds.has(toDeadLetter(dead).id))
    },
    redriveRequested: types => void redriveWhere(dead => dead.again === true && types.has(dead.type)),
    drop: async (ids, archive) => {
      const selectedIds = ids === 'all' ? undefined : new Set(ids)
      let dropped = 0
      for (const dead of [...letters]) {
        const letter = toDeadLetter(dead)
        if (selectedIds && !selectedIds.has(letter.id)) continue
        await archive(letter)
        const index = letters.indexOf(dead)
        if (index === -1) continue
        letters.splice(index, 1)
        save()
        dropped += 1
      }
      return dropped
    },
    replace: (ids, replacementOf) => {
      const selectedIds = new Set(ids)
      const before = letters
      letters = before.flatMap(dead => {
        const letter = toDeadLetter(dead)
        if (!selectedIds.has(letter.id)) return [dead]
        const replacement = replacementOf(letter)
        return replacement ? [{ ...dead, text: JSON.stringify(replacement) }] : []
      })
      const replaced = before.filter(dead => selectedIds.has(toDeadLetter(dead).id)).length
      if (replaced > 0) save()
      return replaced
    },
    stored: () => [...redriving, ...letters],
  }
}

function toDeadLetter({ text, reason, at, tries }: DeadEvent): DeadLetter {
  const event = parseDeadLetter(text)
  return { id: deadLetterId(text, event), event, reason, at, tries }
}

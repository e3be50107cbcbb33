import { createSubscribable, type Subscribable } from '../ui/hooks/subscribable.ts'
import { mergeEntries } from './merge-entries.ts'
import type { OutboxEntry, OutboxRules, OutboxStorage, Problem } from './outbox-types.ts'
import { whenDone } from './when-done.ts'

export interface EntryListDeps<Call> {
  rules: OutboxRules<Call>
  storage: OutboxStorage<Call>
  isInFlight: (id: string) => boolean
  log: (message: string, detail: unknown) => void
}

/** The entries in memory, mirrored to the storage. If the storage fails, memory goes on alone. */
export interface EntryList<Call> {
  readonly entries: Subscribable<readonly OutboxEntry<Call>[]>
  find(id: string): OutboxEntry<Call> | undefined
  inLane(lane: string): readonly OutboxEntry<Call>[]
  /** The first entry of the lane that is not refused; before it, one that goes first. */
  nextIn(lane: string): OutboxEntry<Call> | undefined
  /** Added by this tab: closing the page leaves no time to read a database. */
  isOwn(id: string): boolean
  isRemoved(id: string): boolean
  /** Adds an entry and removes those that it replaces, unless they are in flight. */
  add(entry: OutboxEntry<Call>): void
  remove(removed: readonly OutboxEntry<Call>[]): void | Promise<void>
  /** Reads the storage again. Answers without a promise if the storage does. */
  reload(): void | Promise<void>
  setProblem(problem: Problem | undefined, isAffected: (entry: OutboxEntry<Call>) => boolean): void
  setCall(id: string, call: Call): void
  /** Settles when the latest write to the storage has ended. */
  lastWrite(): unknown
}

export function isRefused<Call>({ problem }: OutboxEntry<Call>): boolean {
  return problem?.kind === 'refused'
}

export function createEntryList<Call>({ rules, storage, isInFlight, log }: EntryListDeps<Call>): EntryList<Call> {
  type Entry = OutboxEntry<Call>
  const entries = createSubscribable<readonly Entry[]>([])
  const ownIds = new Set<string>()
  const unstoredIds = new Set<string>()
  /** A read that was under way must not bring them back. */
  const removedIds = new Set<string>()
  let lastWrite: unknown

  const logError = (message: string) => (error: unknown) => log(message, error)
  const inLane = (lane: string) => entries.get().filter(({ call }) => rules.laneOf(call) === lane)

  return {
    entries,
    inLane,
    find: id => entries.get().find(entry => entry.id === id),
    nextIn(lane) {
      const waiting = inLane(lane).filter(entry => !isRefused(entry))
      return waiting.find(({ call }) => rules.goesFirst?.(call)) ?? waiting[0]
    },
    isOwn: id => ownIds.has(id),
    isRemoved: id => removedIds.has(id),
    add(entry) {
      const { id, call } = entry
      const isUnsent = (earlierId: string) => ownIds.has(earlierId) && !isInFlight(earlierId)
      const replaces = rules.replaces?.(call, isUnsent) ?? (() => false)
      const isReplaced = (earlier: Entry) => !isInFlight(earlier.id) && replaces(earlier)
      const replaced = entries.get().filter(replaces)
      for (const earlier of replaced) ownIds.delete(earlier.id)
      for (const earlier of replaced.filter(isReplaced)) removedIds.add(earlier.id)
      ownIds.add(id)
      unstoredIds.add(id)
      removedIds.delete(id)
      entries.set([...entries.get().filter(earlier => !isReplaced(earlier)), entry])
      lastWrite = whenDone(
        () => storage.add(entry, isReplaced),
        isStored => {
          if (isStored) unstoredIds.delete(id)
        },
        logError('call not stored, sending from memory'),
      )
    },
    remove(removed) {
      const ids = new Set(removed.map(({ id }) => id))
      for (const id of ids) {
        removedIds.add(id)
        ownIds.delete(id)
        unstoredIds.delete(id)
      }
      entries.set(entries.get().filter(({ id }) => !ids.has(id)))
      const removing = whenDone(
        () => storage.remove(removed),
        () => {},
        logError('answered call not removed, it is sent again'),
      )
      lastWrite = removing
      return removing
    },
    reload() {
      const storedIds = new Set(entries.get().flatMap(({ id }) => (unstoredIds.has(id) ? [] : [id])))
      const isGone = ({ id }: Entry) => storedIds.has(id) && !isInFlight(id)
      const isAccepted = ({ id }: Entry) => !removedIds.has(id)
      return whenDone(
        () => storage.read(),
        found => entries.set(mergeEntries(entries.get(), found, isGone, isAccepted)),
        logError('storage not readable, sending from memory'),
      )
    },
    setProblem(problem, isAffected) {
      entries.set(entries.get().map(entry => (isAffected(entry) ? { ...entry, problem } : entry)))
    },
    setCall(id, call) {
      entries.set(entries.get().map(entry => (entry.id === id ? { ...entry, call } : entry)))
    },
    lastWrite: () => lastWrite,
  }
}

import { limits } from '@watchline/contracts/limits'
import type { Hint } from '@watchline/contracts/notification'
import { chatRooms, type Tag, type TagPart, tags } from './gateway.ts'
import { type Schedule, scheduleTimeout } from './schedule.ts'
import { reportSessionEnded } from './send.ts'

type Kind = Exclude<Hint['type'], 'hello' | 'session' | 'typing'> | 'missed'

/** The tags that each kind of hint invalidates. A changed team arrives as a hint about tasks. */
const oldAfter: Record<Kind, readonly Tag[]> = {
  notifications: ['Notifications'],
  tasks: ['Tasks', 'Playlists', 'Today', 'Team', 'Engagement'],
  presence: ['Online'],
  profile: tags,
  chat: ['Chat'],
  missed: tags,
}

/** The messages of one room. */
const oldIn = (roomId: string): readonly TagPart[] => [chatRooms, { type: 'Chat', id: roomId }]

/** The largest delay of a client after a hint that goes to many. */
const spreadMs = 300
const saidToMany: ReadonlySet<Kind> = new Set<Kind>(['tasks', 'presence', 'missed'])
/** These hints wait while the page is hidden. */
const onlySeen: ReadonlySet<Kind> = new Set<Kind>(['tasks', 'presence'])
/** The longest interval between two refreshes under a continuous flow of hints of one kind. */
const stormSpacingMs = 4_000
const stormGrowth = 1.5

const takenOverListeners = new Set<() => void>()
const typingListeners = new Set<(roomId: string, personId: string) => void>()

/** Called when another login session acquired the monitoring lock. */
export function onTakenOver(listener: () => void): () => void {
  takenOverListeners.add(listener)
  return () => takenOverListeners.delete(listener)
}

/** Called while somebody writes to the person: the room, and the writer. */
export function onTyping(listener: (roomId: string, personId: string) => void): () => void {
  typingListeners.add(listener)
  return () => typingListeners.delete(listener)
}

export interface LiveHintsOptions {
  /** Refetches every visible query with one of the tags, at once. */
  invalidate: (tags: readonly (Tag | TagPart)[]) => void
  isHidden?: () => boolean
  schedule?: Schedule
  random?: () => number
}

export interface LiveHints {
  take(hint: Hint): void
  /** The page became visible. */
  seen(): void
  close(): void
}

/**
 * Turns hints into refetches: the first of a kind at once, those that follow too soon as one,
 * later.
 */
export function createLiveHints(options: LiveHintsOptions): LiveHints {
  const isHidden = options.isHidden ?? (() => document.visibilityState === 'hidden')
  const schedule = options.schedule ?? scheduleTimeout
  const random = options.random ?? Math.random
  const resting = new Map<string, { again: boolean; cancel: () => void }>()
  const unseen = new Set<Kind>()

  function learn(kind: Kind, roomId?: string): void {
    const subject = roomId === undefined ? kind : `${kind} ${roomId}`
    const ask = (restMs: number) => askFor(subject, roomId === undefined ? oldAfter[kind] : oldIn(roomId), restMs)
    const restMs = kind === 'chat' ? limits.chatHintSpacingMs : limits.hintSpacingMs
    const rest = resting.get(subject)
    if (onlySeen.has(kind) && isHidden()) unseen.add(kind)
    else if (rest) rest.again = true
    else {
      const delay = saidToMany.has(kind) ? random() * spreadMs : 0
      if (delay === 0) ask(restMs)
      else resting.set(subject, { again: false, cancel: schedule(delay, () => ask(restMs)) })
    }
  }

  function askFor(subject: string, old: readonly (Tag | TagPart)[], restMs: number): void {
    options.invalidate(old)
    const rest = {
      again: false,
      cancel: schedule(restMs, () => {
        if (rest.again) askFor(subject, old, Math.min(stormSpacingMs, restMs * stormGrowth))
        else resting.delete(subject)
      }),
    }
    resting.set(subject, rest)
  }

  function sessionNews(what: 'taken_over' | 'signed_out'): void {
    if (what === 'signed_out') reportSessionEnded()
    else for (const listener of takenOverListeners) listener()
  }

  return {
    take(hint) {
      if (hint.type === 'session') sessionNews(hint.what)
      else if (hint.type === 'typing') for (const listener of typingListeners) listener(hint.room_id, hint.by)
      else if (hint.type === 'chat') learn('chat', hint.room_id)
      else if (hint.type !== 'hello') learn(hint.type)
      else if (hint.missed) {
        learn('missed')
        // A takeover of the session may be among the missed hints, so the player checks.
        sessionNews('taken_over')
      }
    },
    seen() {
      const kinds = [...unseen]
      unseen.clear()
      for (const kind of kinds) learn(kind)
    },
    close() {
      for (const { cancel } of resting.values()) cancel()
      resting.clear()
      unseen.clear()
    },
  }
}

import { limits } from '@watchline/contracts/limits'
import { chatRooms, type Tag, type TagPart, tags } from './gateway.ts'
import { type Schedule, scheduleTimeout } from './schedule.ts'
import { reportSessionEnded } from './send.ts'
import type { ChangeHint } from './stream.ts'

type Kind = Exclude<ChangeHint['type'], 'hello' | 'session' | 'typing'> | 'missed'

/** The tags that each kind of hint invalidates. A changed team arrives as a hint about tasks. */
const tagsByKind: Record<Kind, readonly Tag[]> = {
  notifications: ['Notifications'],
  tasks: ['Tasks', 'Playlists', 'Today', 'Team', 'Engagement'],
  presence: ['Online'],
  profile: tags,
  chat: ['Chat'],
  missed: tags,
}

/** The messages of one room. */
const roomTags = (roomId: string): readonly TagPart[] => [chatRooms, { type: 'Chat', id: roomId }]

/**
 * The largest delay (ms) after a hint to many clients, so that they do not refresh together. A hint
 * about tasks often goes to one person, so its delay is short unless the hint asks for more.
 */
const usualSpreadMs: Partial<Record<Kind, number>> = { tasks: 300, presence: 3_000, missed: 3_000 }
/** Hints of these kinds wait while the page is hidden. */
const visibleOnlyKinds: ReadonlySet<Kind> = new Set<Kind>(['tasks', 'presence'])
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

/** Called while somebody writes a message to the person: the room, and the writer. */
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
  handle(hint: ChangeHint): void
  /** Call it when the page becomes visible. */
  handleVisible(): void
  close(): void
}

/**
 * Refreshes queries after hints. The first hint of a kind refreshes at once. Hints that follow too
 * soon share one later refresh.
 */
export function createLiveHints(options: LiveHintsOptions): LiveHints {
  const isHidden = options.isHidden ?? (() => document.visibilityState === 'hidden')
  const schedule = options.schedule ?? scheduleTimeout
  const random = options.random ?? Math.random
  /** An entry has `spreadMs` as long as its first refresh has not begun. */
  const cooldowns = new Map<string, { repeat: boolean; spreadMs?: number; cancel: () => void }>()
  const deferredKinds = new Set<Kind>()

  function scheduleRefresh(kind: Kind, roomId?: string, hintSpreadMs = 0): void {
    const subject = roomId === undefined ? kind : `${kind} ${roomId}`
    const tags = roomId === undefined ? tagsByKind[kind] : roomTags(roomId)
    const cooldownMs = kind === 'chat' ? limits.chatHintSpacingMs : limits.hintSpacingMs
    const cooldown = cooldowns.get(subject)
    const spreadMs = Math.max(usualSpreadMs[kind] ?? 0, hintSpreadMs)
    if (visibleOnlyKinds.has(kind) && isHidden()) deferredKinds.add(kind)
    else if (cooldown && (cooldown.spreadMs ?? 0) <= spreadMs) cooldown.repeat = true
    else {
      // A hint to one person must not wait for the spread of one to many.
      cooldown?.cancel()
      const delay = random() * spreadMs
      const run = () => refresh(subject, tags, cooldownMs)
      if (delay === 0) run()
      else cooldowns.set(subject, { repeat: false, spreadMs, cancel: schedule(delay, run) })
    }
  }

  function refresh(subject: string, tags: readonly (Tag | TagPart)[], cooldownMs: number): void {
    options.invalidate(tags)
    const cooldown = {
      repeat: false,
      cancel: schedule(cooldownMs, () => {
        if (cooldown.repeat) refresh(subject, tags, Math.min(stormSpacingMs, cooldownMs * stormGrowth))
        else cooldowns.delete(subject)
      }),
    }
    cooldowns.set(subject, cooldown)
  }

  function handleSessionHint(change: 'taken_over' | 'signed_out'): void {
    if (change === 'signed_out') reportSessionEnded('server')
    else for (const listener of takenOverListeners) listener()
  }

  return {
    handle(hint) {
      if (hint.type === 'session') handleSessionHint(hint.what)
      else if (hint.type === 'typing') for (const listener of typingListeners) listener(hint.room_id, hint.by)
      else if (hint.type === 'chat') scheduleRefresh('chat', hint.room_id)
      else if (hint.type === 'tasks' || hint.type === 'notifications')
        scheduleRefresh(hint.type, undefined, hint.spread_ms)
      else if (hint.type !== 'hello') scheduleRefresh(hint.type)
      else if (hint.missed) {
        scheduleRefresh('missed')
        // A takeover of the session may be among the missed hints, so the player checks.
        handleSessionHint('taken_over')
      }
    },
    handleVisible() {
      const kinds = [...deferredKinds]
      deferredKinds.clear()
      for (const kind of kinds) scheduleRefresh(kind)
    },
    close() {
      for (const { cancel } of cooldowns.values()) cancel()
      cooldowns.clear()
      deferredKinds.clear()
    },
  }
}

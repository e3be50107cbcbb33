import { limits } from '@watchline/contracts/limits'
import type { Hint } from '@watchline/contracts/notification'
import { type Tag, tags } from './gateway.ts'
import { type Schedule, scheduleTimeout } from './schedule.ts'
import { tellSessionEnded } from './send.ts'

type Kind = Exclude<Hint['type'], 'hello' | 'session'> | 'missed'

/** What a hint makes old. Who learns of a change of teams hears it as one of tasks. */
const oldAfter: Record<Kind, readonly Tag[]> = {
  notifications: ['Notifications'],
  tasks: ['Tasks', 'Playlists', 'Today', 'Team', 'Engagement'],
  presence: ['Online'],
  profile: tags,
  chat: ['Chat'],
  missed: tags,
}

/** Said to many at once: each asks a little later than the others, by up to this. */
const spreadMs = 300
const saidToMany: ReadonlySet<Kind> = new Set<Kind>(['tasks', 'presence', 'missed'])
/** Seen or not at all: in a page that nobody looks at it waits until somebody does. */
const onlySeen: ReadonlySet<Kind> = new Set<Kind>(['tasks', 'presence'])
/** Hints of one kind that do not stop are followed less and less often, down to this. */
const stormSpacingMs = 4_000
const stormGrowth = 1.5

const takenOverListeners = new Set<() => void>()

/** Called when the monitoring lock of this login session went to another one. */
export function onTakenOver(listener: () => void): () => void {
  takenOverListeners.add(listener)
  return () => takenOverListeners.delete(listener)
}

export interface LiveHintsOptions {
  /** Asks again, at once, for what is shown and has one of the tags. */
  invalidate: (tags: readonly Tag[]) => void
  isHidden?: () => boolean
  schedule?: Schedule
  random?: () => number
}

export interface LiveHints {
  take(hint: Hint): void
  /** The page is looked at again. */
  seen(): void
  close(): void
}

/** Turns hints into questions: the first of a kind at once, those that come too soon after it become one, later. */
export function createLiveHints(options: LiveHintsOptions): LiveHints {
  const isHidden = options.isHidden ?? (() => document.visibilityState === 'hidden')
  const schedule = options.schedule ?? scheduleTimeout
  const random = options.random ?? Math.random
  const resting = new Map<Kind, { again: boolean; cancel: () => void }>()
  const unseen = new Set<Kind>()

  function learn(kind: Kind): void {
    const rest = resting.get(kind)
    if (onlySeen.has(kind) && isHidden()) unseen.add(kind)
    else if (rest) rest.again = true
    else {
      const delay = saidToMany.has(kind) ? random() * spreadMs : 0
      if (delay === 0) ask(kind, limits.hintSpacingMs)
      else resting.set(kind, { again: false, cancel: schedule(delay, () => ask(kind, limits.hintSpacingMs)) })
    }
  }

  function ask(kind: Kind, restMs: number): void {
    options.invalidate(oldAfter[kind])
    const rest = {
      again: false,
      cancel: schedule(restMs, () => {
        if (rest.again) ask(kind, Math.min(stormSpacingMs, restMs * stormGrowth))
        else resting.delete(kind)
      }),
    }
    resting.set(kind, rest)
  }

  function sessionNews(what: 'taken_over' | 'signed_out'): void {
    if (what === 'signed_out') tellSessionEnded()
    else for (const listener of takenOverListeners) listener()
  }

  return {
    take(hint) {
      if (hint.type === 'session') sessionNews(hint.what)
      else if (hint.type !== 'hello') learn(hint.type)
      else if (hint.missed) {
        learn('missed')
        // Whether the session was taken over may be among what was missed: the player asks.
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

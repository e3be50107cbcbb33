import { createWriteStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type Browser, SessionLost } from '@watchline/testing/browser'
import { isAcknowledged, isUndecided, type LockStep, type Try, type Write, writeOf } from './possible-values.ts'

/** The classes of operations that must all work again after a fault. */
export const areas = [
  'signing in',
  'people',
  'watching',
  'tracking',
  'comments',
  'notifications',
  'chat',
  'playlists',
  /** What one service does because of what happened in another. */
  'events',
] as const
export type Area = (typeof areas)[number]

/** A call with what became of it: the client log. */
export interface Entry {
  tries: Try[]
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape pass here
  json: any
  acknowledged: boolean
}

export interface Violation {
  at: number
  /** What kind of promise was broken, for the table. */
  rule: string
  what: string
}

/** Who calls, in which area: each must be served again. */
export interface Lane {
  area: Area
  who: string
}

/** While one is open: which lanes have been served since `from`, and how long after `healed`. */
export interface Watch {
  from: number
  healed: number
  served: Map<string, number>
}

export interface CallOptions {
  lane: Lane
  method: string
  path: string
  body?: unknown
  /** Statuses besides 2xx that are no surprise here. */
  expected?: readonly number[]
  /** Whether it is sent again until it is answered; if not, what became of it stays unknown. */
  resend?: boolean
  /** Whether it changes anything: reads are counted apart. */
  writes?: boolean
  /** Stops trying: nobody waits for it any more. */
  signal?: AbortSignal
}

/** Nobody waits longer for an answer; that nobody had one by then is a violation. */
const patienceMs = 60_000

export type Journal = ReturnType<typeof createJournal>

/** What all clients sent and were answered, what they rely on since, and what turned out wrong. */
export function createJournal(file?: string) {
  const output = file === undefined ? undefined : createWriteStream(file)
  const counts = { requests: 0, acknowledged: 0, resends: 0, unknown: 0 }
  const violations: Violation[] = []
  const registers = new Map<string, Write<string>[]>()
  const lockSteps = new Map<string, LockStep[]>()
  const lanes = new Map<string, Lane>()
  let watch: Watch | undefined

  const write = (line: object) => void output?.write(`${JSON.stringify(line)}\n`)

  function violation(rule: string, what: string) {
    // Said once: a check that runs in every cycle finds the same again.
    if (violations.some(each => each.rule === rule && each.what === what)) return
    violations.push({ at: Date.now(), rule, what })
    write({ violation: rule, what })
  }

  function served({ area, who }: Lane, sentAt: number) {
    const name = `${area}: ${who}`
    // What was on its way all the time does not show that events arrive again.
    const since = area === 'events' ? watch?.healed : watch?.from
    if (watch && since !== undefined && sentAt >= since && Date.now() >= watch.healed && !watch.served.has(name))
      watch.served.set(name, Date.now() - watch.healed)
  }

  async function attempt(browser: Browser, { method, path, body }: CallOptions, entry: Entry): Promise<void> {
    const sentAt = Date.now()
    let answer: Answer | undefined
    counts.requests += 1
    try {
      answer = await browser.call(method, path, body)
    } catch (error) {
      if (error instanceof SessionLost) throw error
    }
    entry.tries.push({ sentAt, endedAt: Date.now(), status: answer?.status ?? 0 })
    entry.status = answer?.status ?? 0
    entry.json = answer?.json
  }

  /** One call, sent again until it is answered if it may be. Never rejects but for a lost session. */
  async function call(browser: Browser, options: CallOptions): Promise<Entry> {
    const { lane, method, path, expected = [], resend = true, writes = method !== 'GET', signal } = options
    const entry: Entry = { tries: [], status: 0, json: undefined, acknowledged: false }
    const begun = Date.now()
    for (;;) {
      await attempt(browser, options, entry)
      if (!isUndecided(entry.status)) break
      if (!resend || signal?.aborted) break
      if (Date.now() - begun > patienceMs) {
        violation('never answered', `${lane.who}: ${method} ${path} in ${patienceMs / 1_000} s (last ${entry.status})`)
        break
      }
      counts.resends += 1
      await sleep(100 + Math.random() * 200)
    }
    entry.acknowledged = isAcknowledged(entry.status)
    if (isUndecided(entry.status)) counts.unknown += 1
    else {
      served(lane, entry.tries.at(-1)!.sentAt)
      if (!entry.acknowledged && !expected.includes(entry.status))
        violation('refused', `${lane.who}: ${method} ${path}: ${entry.status} ${JSON.stringify(entry.json)}`)
    }
    if (writes) {
      if (entry.acknowledged) counts.acknowledged += 1
      const { tries, json } = entry
      write({ who: lane.who, method, path, body: options.body, tries, ...(!entry.acknowledged && { json }) })
    }
    return entry
  }

  return {
    call,
    counts,
    violations,
    violation,
    /** All that was written to a place, by name. */
    registers,
    lockSteps,
    /** One more write to a place that is written by one client. */
    wrote: (register: string, value: string, { tries }: Pick<Entry, 'tries'>) => {
      const writes = registers.get(register) ?? []
      writes.push(writeOf(value, tries))
      registers.set(register, writes)
    },
    lockStep: (personId: string, step: LockStep) => {
      const steps = lockSteps.get(personId) ?? []
      steps.push(step)
      lockSteps.set(personId, steps)
    },
    /** From now on the lane is one of those that must be served again after a fault. */
    open: (lane: Lane) => void lanes.set(`${lane.area}: ${lane.who}`, lane),
    close: (lane: Lane) => void lanes.delete(`${lane.area}: ${lane.who}`),
    /** Something was seen to work that is not the answer to a call. */
    served,
    watch: (from: number, healed: number): Watch => {
      watch = { from, healed, served: new Map() }
      return watch
    },
    /** Lanes that were not served since. */
    waiting: (of: Watch): string[] => [...lanes.keys()].filter(name => !of.served.has(name)),
    note: write,
    end: () => new Promise<void>(resolve => (output ? output.end(resolve) : resolve())),
  }
}

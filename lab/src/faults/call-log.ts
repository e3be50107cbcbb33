import { createWriteStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type Browser, SessionLost } from '@watchline/testing/browser'
import { isAcknowledged, isUndecided } from '../shared/answers.ts'
import { type Attempt, type LockStep, type Write, writeOf } from './possible-values.ts'

/** The kinds of operations. Each must work again after a fault. */
export const areas = [
  'signing in',
  'people',
  'watching',
  'tracking',
  'comments',
  'notifications',
  'chat',
  'playlists',
  /** Effects in one service of changes in another. */
  'events',
] as const
export type Area = (typeof areas)[number]

/** A call and its result, as the client log records it. */
export interface Entry {
  tries: Attempt[]
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape pass here
  json: any
  acknowledged: boolean
}

export interface Violation {
  at: number
  /** The broken rule, for the table. */
  rule: string
  what: string
}

/** A caller and a kind of operation. Each lane must be served again after a fault. */
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
  /** Accepted statuses besides 2xx. */
  expected?: readonly number[]
  /** Whether to resend until answered. Without it the result may stay unknown. */
  resend?: boolean
  /** Whether the call changes data. Reads are counted separately. */
  writes?: boolean
  /** Stops resending. */
  signal?: AbortSignal
}

/** A call without an answer after this time is a violation. */
const patienceMs = 60_000

export type CallLog = ReturnType<typeof createCallLog>

/** Records what all clients sent and received, and the violations found. */
export function createCallLog(file?: string) {
  const output = file === undefined ? undefined : createWriteStream(file)
  const counts = { requests: 0, acknowledged: 0, resends: 0, unknown: 0 }
  const violations: Violation[] = []
  const registers = new Map<string, Write<string>[]>()
  const lockSteps = new Map<string, LockStep[]>()
  const lanes = new Map<string, Lane>()
  let watch: Watch | undefined

  const write = (line: object) => void output?.write(`${JSON.stringify(line)}\n`)

  function violation(rule: string, what: string) {
    // Recorded once, because a check in every cycle finds it again.
    if (violations.some(each => each.rule === rule && each.what === what)) return
    violations.push({ at: Date.now(), rule, what })
    write({ violation: rule, what })
  }

  function served({ area, who }: Lane, sentAt: number) {
    const name = `${area}: ${who}`
    // An event sent before the end of the fault does not prove that events arrive again.
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

  /** Makes a call and resends it until answered, if allowed. Rejects only with SessionLost. */
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
    /** All writes to a stored field, by the field's name. */
    registers,
    lockSteps,
    /** Records a write to a field that only one client writes. */
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
    /** From now on this lane must be served again after a fault. */
    open: (lane: Lane) => void lanes.set(`${lane.area}: ${lane.who}`, lane),
    close: (lane: Lane) => void lanes.delete(`${lane.area}: ${lane.who}`),
    /** Records that a lane works, other than by an answer to a call. */
    served,
    watch: (from: number, healed: number): Watch => {
      watch = { from, healed, served: new Map() }
      return watch
    },
    /** Lanes that have not been served since. */
    waiting: (of: Watch): string[] => [...lanes.keys()].filter(name => !of.served.has(name)),
    note: write,
    end: () => new Promise<void>(resolve => (output ? output.end(resolve) : resolve())),
  }
}

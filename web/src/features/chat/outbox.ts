import type { ChatMessage, ChatType } from '@watchline/contracts/chat'
import type { Answer } from '../../api/call-operation.ts'
import type { Failure } from '../../api/failure.ts'
import { type Schedule, scheduleTimeout } from '../../api/schedule.ts'
import { newUuid } from '../../ui/new-uuid.ts'
import { createSubscribable, type Subscribable } from '../../ui/subscribable.ts'
import type { Trouble, Unsent, UnsentStore } from './unsent.ts'

export interface Written {
  roomId: string
  recipientId: string
  chatType: ChatType
  message: string
}

/** What one person has written and the server has not taken yet. Nothing of it is lost, and a room’s messages go in order. */
export interface Outbox {
  /** Of all rooms, in the order they were written. */
  readonly unsent: Subscribable<readonly Unsent[]>
  send(written: Written): void
  /** By hand: at once, with what the two are to each other now. */
  retry(clientId: string, chatType?: ChatType): void
  remove(clientId: string): void
  /** The server may be back. */
  flush(): void
  close(): void
}

export interface OutboxOptions {
  personId: string
  store: UnsentStore
  post: (unsent: Unsent) => Promise<Answer<{ message: ChatMessage }>>
  /** Called before the message leaves the outbox. */
  onSent: (roomId: string, message: ChatMessage) => void
  /** navigator.locks: keeps two tabs from sending the same message at once; without it the repeat is recognised by the server. */
  locks?: Pick<LockManager, 'request'> | undefined
  now?: () => number
  newId?: () => string
  random?: () => number
  schedule?: Schedule
}

/** The messages of one room go one after the other. */
interface Line {
  running: boolean
  failures: number
  cancelRetry?: (() => void) | undefined
}

const firstWaitMs = 1_000
const longestWaitMs = 60_000

export function createOutbox({ personId, store, post, onSent, locks, ...options }: OutboxOptions): Outbox {
  const now = options.now ?? Date.now
  const newId = options.newId ?? newUuid
  const random = options.random ?? Math.random
  const schedule = options.schedule ?? scheduleTimeout
  const unsent = createSubscribable<readonly Unsent[]>(store.all())
  /** What could not be stored is not missed there. */
  const unkept = new Set<string>()
  const sending = new Set<string>()
  const lines = new Map<string, Line>()
  let closed = false

  const ofRoom = (roomId: string) => unsent.get().filter(each => each.roomId === roomId)
  const find = (clientId: string) => unsent.get().find(each => each.clientId === clientId)

  function change(which: (each: Unsent) => boolean, changes: Partial<Unsent>): void {
    unsent.set(unsent.get().map(each => (which(each) ? { ...each, ...changes } : each)))
  }

  function drop(gone: Unsent): void {
    store.forget(gone)
    unkept.delete(gone.clientId)
    unsent.set(unsent.get().filter(each => each.clientId !== gone.clientId))
  }

  function lineOf(roomId: string): Line {
    const line = lines.get(roomId) ?? { running: false, failures: 0 }
    lines.set(roomId, line)
    return line
  }

  function run(roomId: string): void {
    const line = lineOf(roomId)
    line.cancelRetry?.()
    line.cancelRetry = undefined
    if (line.running || closed) return
    line.running = true
    void drain(roomId, line).then(
      () => {
        line.running = false
        // One may have been written between the last look and here.
        if (!line.cancelRetry && ofRoom(roomId).some(isTried)) run(roomId)
      },
      error => {
        line.running = false
        console.error('the outbox of the chat', error)
        wait(roomId, line, longestWaitMs)
      },
    )
  }

  async function drain(roomId: string, line: Line): Promise<void> {
    for (;;) {
      const next = ofRoom(roomId).find(isTried)
      if (!next || closed) return
      const rest = next.trouble?.kind === 'limited' ? next.trouble.until - now() : 0
      if (rest > 0) return wait(roomId, line, rest)
      sending.add(next.clientId)
      const answer = await inTurn(next).finally(() => sending.delete(next.clientId))
      if (answer === 'gone') drop(next)
      else if (answer.ok) {
        line.failures = 0
        onSent(roomId, answer.data.message)
        drop(next)
      } else if (!refuse(next, answer)) {
        line.failures += 1
        return wait(roomId, line, pause(line, answer))
      }
    }
  }

  /** Another tab may have sent or deleted it meanwhile. */
  async function inTurn(next: Unsent): Promise<Answer<{ message: ChatMessage }> | 'gone'> {
    const attempt = async () => {
      const latest = find(next.clientId)
      if (!latest || (!unkept.has(next.clientId) && !store.has(next))) return 'gone'
      const answer = await post(latest)
      if (answer.ok) store.forget(next)
      return answer
    }
    if (!locks) return attempt()
    return (await locks.request(`watchline-chat-${personId}-${next.roomId}`, attempt)) as Awaited<
      ReturnType<typeof attempt>
    >
  }

  /** Notes why it was not taken; true when trying it again by itself would not help. */
  function refuse(tried: Unsent, failure: Failure): boolean {
    if (failure.status === 429 || mayPass(failure)) {
      const until = now() + Math.max(1, failure.retryAfter ?? 1) * 1_000
      const trouble: Trouble = failure.status === 429 ? { kind: 'limited', until } : { kind: 'failed' }
      // Those behind it wait, too.
      change(each => each.roomId === tried.roomId && isTried(each), { trouble })
      return false
    }
    const trouble: Trouble = isClosed(failure) ? { kind: 'closed' } : { kind: 'refused', detail: failure.message }
    change(each => each.clientId === tried.clientId, { trouble })
    return true
  }

  function pause({ failures }: Line, { status, retryAfter = 0 }: Failure): number {
    if (status === 429) return Math.max(1, retryAfter) * 1_000
    const growing = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(failures - 1, 6)) * (0.5 + random() / 2)
    return Math.max(growing, retryAfter * 1_000)
  }

  function wait(roomId: string, line: Line, ms: number): void {
    if (closed) return
    line.cancelRetry = schedule(ms, () => run(roomId))
  }

  function flush(): void {
    for (const roomId of new Set(unsent.get().map(each => each.roomId))) run(roomId)
  }

  /** As other tabs have left it; what is on its way here is left to its answer. */
  function follow(): void {
    const kept = new Map(store.all().map(each => [each.clientId, each]))
    const stays = unsent.get().filter(each => {
      const here = kept.has(each.clientId) || unkept.has(each.clientId) || sending.has(each.clientId)
      kept.delete(each.clientId)
      return here
    })
    if (kept.size === 0 && stays.length === unsent.get().length) return
    unsent.set([...stays, ...kept.values()].sort((one, other) => one.order - other.order))
    flush()
  }

  const stopFollowing = store.onChange(follow)
  flush()

  return {
    unsent,
    send(written) {
      const order = Math.max(now(), (unsent.get().at(-1)?.order ?? 0) + 1)
      const next: Unsent = { ...written, clientId: newId(), at: new Date(now()).toISOString(), order }
      if (!store.keep(next)) unkept.add(next.clientId)
      // While its room waits for the server, so does it.
      const before = ofRoom(written.roomId).find(isTried)?.trouble
      unsent.set([...unsent.get(), { ...next, trouble: before }])
      if (!lineOf(written.roomId).cancelRetry) run(written.roomId)
    },
    retry(clientId, chatType) {
      const again = find(clientId)
      if (!again || sending.has(clientId)) return
      const all = again.trouble?.kind === 'failed'
      change(each => each === again || (all && each.roomId === again.roomId && each.trouble?.kind === 'failed'), {
        trouble: undefined,
        ...(chatType && { chatType }),
      })
      run(again.roomId)
    },
    remove(clientId) {
      const gone = find(clientId)
      if (gone) drop(gone)
    },
    flush,
    close() {
      closed = true
      stopFollowing()
      for (const line of lines.values()) line.cancelRetry?.()
    },
  }
}

/** Until it is taken; what was refused for good waits for a hand. */
function isTried({ trouble }: Unsent): boolean {
  return trouble?.kind !== 'closed' && trouble?.kind !== 'refused'
}

/** Not the message’s fault, or cured by signing in again. */
function mayPass({ status, code }: Failure): boolean {
  return status === 0 || status >= 500 || [401, 408, 425].includes(status) || code === 'csrf' || code === 'contract'
}

function isClosed({ status }: Failure): boolean {
  return status === 403 || status === 409
}

import { type AttentionCheck, answerAttentionCheck } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { createSubscribable, type Subscribable } from '../../../ui/hooks/subscribable.ts'
import type { PlayerOutbox } from '../outbox/player-outbox.ts'
import type { AttentionAction, PlayerApi } from '../player-api.ts'

/** The check that waits for the person. */
export interface ShownCheck {
  id: string
  /** The time until which an answer is in time, in ms of this browser's clock. */
  until: number
  isExtended: boolean
  /** The server refused the latest answer. */
  isRefused?: boolean
}

export interface AttentionChecks {
  readonly shown: Subscribable<ShownCheck | undefined>
  /** Asks the server once: without playback no report names a check. */
  load(): Promise<void>
  /** The check in the answer to a report. `answeredAt` is in ms. */
  readReport(check: AttentionCheck | undefined, answeredAt: number): void
  /** The outbox repeats the answer until it has arrived, so the question need not wait for it. */
  answer(check: ShownCheck, action: AttentionAction): void
  close(): void
}

export interface AttentionChecksOptions {
  api: Pick<PlayerApi, 'getAttentionCheck'>
  outbox: PlayerOutbox
  now?: () => number
}

/** The time that a request for more time adds. */
const extensionMs = limits.attentionExtendedMs - limits.attentionAnswerMs

/**
 * The attention checks of one session. A check that is overdue before the session has shown it
 * belongs to an earlier session, so it must not pause this one.
 */
export function createAttentionChecks({ api, outbox, now = Date.now }: AttentionChecksOptions): AttentionChecks {
  const shown = createSubscribable<ShownCheck | undefined>(undefined)
  const shownIds = new Set<string>()
  const extendedIds = new Set<string>()
  /** A request under way, or one of an earlier page, may name it still. */
  let answeredId: string | undefined

  const findUnsent = (id: string) =>
    outbox.entries
      .get()
      .flatMap(({ call }) => (call.kind === 'attention-check' && call.body.id === id ? [call.body.action] : []))

  const isWaiting = ({ id, answer_within_s }: AttentionCheck) =>
    id !== answeredId && !findUnsent(id).includes('answer') && (answer_within_s > 0 || shownIds.has(id))

  function show(check: AttentionCheck, at: number): void {
    const { id, answer_within_s } = check
    if (isWaiting(check)) shownIds.add(id)
    const present = shown.get()
    const isRefused = present?.id === id && present.isRefused === true
    const until = at + answer_within_s * 1_000
    shown.set(
      isWaiting(check) ? { id, until, isExtended: extendedIds.has(id), ...(isRefused && { isRefused }) } : undefined,
    )
  }

  function update(check: AttentionCheck, at: number): void {
    const isExtending = findUnsent(check.id).includes('extend')
    if (isExtending) extendedIds.add(check.id)
    // The server does not know yet that the person asked for more time.
    const addedSeconds = isExtending ? extensionMs / 1_000 : 0
    show({ ...check, answer_within_s: check.answer_within_s + addedSeconds }, at)
  }

  const stopListening = outbox.onAnswered((call, answer) => {
    if (call.kind !== 'attention-check') return
    const { id, action } = call.body
    // 404: the check has ended meanwhile, for example on another device.
    if (answer.ok ? action === 'answer' : answer.status === 404) {
      answeredId = id
      if (shown.get()?.id === id) shown.set(undefined)
      return
    }
    if (answeredId === id) answeredId = undefined
    const check = answer.ok ? answerAttentionCheck.response.safeParse(answer.data).data?.attention_check : undefined
    if (check) show(check, now())
    else if (!answer.ok && shownIds.has(id)) {
      extendedIds.delete(id)
      shown.set({ id, until: call.body.until, isExtended: false, isRefused: true })
    }
  })

  return {
    shown,
    async load() {
      await outbox.read()
      const answer = await api.getAttentionCheck()
      if (answer.ok && answer.data.attention_check) update(answer.data.attention_check, now())
    },
    readReport(check, answeredAt) {
      if (check) update(check, answeredAt)
      else shown.set(undefined)
    },
    answer({ id, until }, action) {
      outbox.add({ kind: 'attention-check', body: { id, action, at: now(), until } })
      if (action === 'answer') {
        answeredId = id
        shown.set(undefined)
        return
      }
      extendedIds.add(id)
      shown.set({ id, until: until + extensionMs, isExtended: true })
    },
    close: stopListening,
  }
}

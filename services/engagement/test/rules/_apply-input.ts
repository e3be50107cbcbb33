import { applyReport, fillBank } from '../../src/rules/crediting.ts'
import type { PlaylistOrder } from '../../src/rules/skipping.ts'
import type { CreditingEffect } from '../../src/rules/watch-draft.ts'
import type { WatchState } from '../../src/rules/watch-state.ts'
import { type Input, tickS } from './_oracle.ts'

/** Of a tick. */
export const ms = tickS * 1000

/** Applies an input of a generated history. `order`: of a task without skipping ahead. */
export function applyInput(
  state: WatchState,
  input: Input,
  maxPlaybackRate: number,
  order?: PlaylistOrder,
): CreditingEffect {
  const { now, sid } = input
  if (input.kind === 'lock_interval') {
    const { fence, from, to } = input
    return fillBank(state, { fence, sid, from: from * ms, to: to * ms }, now * ms, { maxPlaybackRate })
  }
  const { eventId, key, type, position, rate, clientTime, hidden, duration, lock } = input
  return applyReport(
    state,
    {
      ...{ eventId, sid, key, type, rate, hidden },
      position: position * tickS,
      clientTime: clientTime === null ? null : clientTime * ms,
    },
    { now: now * ms, lock: lock && { ...lock, acquiredAt: lock.acquiredAt * ms }, duration: duration * tickS, order },
    { maxPlaybackRate },
  )
}

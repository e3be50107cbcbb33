import type { Effect, Playback, SessionState, Transition } from './playback-types.ts'

/**
 * A transition under construction. Steps change `state` and append `effects` in the order of their
 * execution.
 */
export interface Draft {
  state: SessionState
  readonly effects: Effect[]
}

export function createDraft(state: SessionState): Draft {
  return { state, effects: [] }
}

export function finishDraft({ state, effects }: Draft): Transition {
  return { state, effects }
}

export function changeState(draft: Draft, changes: Partial<SessionState>): void {
  draft.state = { ...draft.state, ...changes }
}

export function changePlayback(draft: Draft, changes: Partial<Playback>): void {
  draft.state = { ...draft.state, playback: { ...draft.state.playback, ...changes } }
}

import { createSubscribable } from '../../../ui/hooks/subscribable.ts'
import { initialState } from '../machine/playback-state.ts'
import type { SessionPlaylist } from '../session-playlist.ts'
import type { ShownCheck } from './attention-checks.ts'
import type { PlayedPart } from './played-parts.ts'
import type { SessionView } from './session-runner.ts'
import type { AnsweredReport } from './use-session.ts'

/** The sources of the screen before the session exists. */
export function createInitialSources(playlist: SessionPlaylist) {
  const state = initialState(playlist)
  return {
    view: createSubscribable<SessionView>(state),
    clock: createSubscribable(state.playback),
    online: createSubscribable(true),
    latestAnswer: createSubscribable<AnsweredReport | undefined>(undefined),
    attentionChecks: { shown: createSubscribable<ShownCheck | undefined>(undefined), answer() {} },
    reportedAt: createSubscribable(0),
    played: createSubscribable<readonly PlayedPart[]>([]),
  }
}

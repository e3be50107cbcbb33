import { track } from '@watchline/contracts/engagement'
import type { AnyOperation } from '@watchline/contracts/operation'
import { pending } from '@watchline/contracts/operations'
import { getSessionStatus, heartbeat, saveProgress, setMonitoring } from '@watchline/contracts/playback'
import { callOperation, type InputOf } from '../api/call-operation.ts'
import type { PlayerApi, SendOptions } from '../features/player/player-api.ts'

/** The player's calls, by the contract. What the player says again carries the same request id. */
export const playerApi: PlayerApi = {
  sessionStatus: playlistId => callOperation(getSessionStatus, { query: { playlist_id: playlistId } }),
  monitoring: (body, options) => say(setMonitoring, { body }, options),
  saveProgress: (body, options) => say(saveProgress, { body }, options),
  heartbeat: () => callOperation(heartbeat, {}),
  // As long as nobody takes watch events, they must not stand in the queue before the positions.
  track: async (body, options) =>
    pending.has(track.name) ? { ok: true, data: undefined } : say(track, { body }, options),
}

function say<O extends AnyOperation>(operation: O, input: InputOf<O>, { id, ...options }: SendOptions = {}) {
  return callOperation(operation, input, { ...options, headers: id ? { 'x-request-id': id } : undefined })
}

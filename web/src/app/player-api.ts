import { addComment, track } from '@watchline/contracts/engagement'
import type { AnyOperation } from '@watchline/contracts/operation'
import { getSessionStatus, heartbeat, saveProgress, setMonitoring } from '@watchline/contracts/playback'
import { reportUnavailable } from '@watchline/contracts/playlists'
import { callOperation, type InputOf } from '../api/call-operation.ts'
import type { PlayerApi, SendOptions } from '../features/player/player-api.ts'

/** The player's calls, by the contract. What the player says again carries the same request id. */
export const playerApi: PlayerApi = {
  sessionStatus: playlistId => callOperation(getSessionStatus, { query: { playlist_id: playlistId } }),
  monitoring: (body, options) => say(setMonitoring, { body }, options),
  saveProgress: (body, options) => say(saveProgress, { body }, options),
  heartbeat: () => callOperation(heartbeat, {}),
  track: (body, options) => say(track, { body }, options),
  comment: (body, options) => say(addComment, { body }, options),
  reportUnavailable: (id, videoId, code) =>
    callOperation(reportUnavailable, { params: { id, videoId }, body: { code } }),
}

function say<O extends AnyOperation>(operation: O, input: InputOf<O>, { id, ...options }: SendOptions = {}) {
  return callOperation(operation, input, { ...options, headers: id ? { 'x-request-id': id } : undefined })
}

import {
  type AttentionCheck,
  addComment,
  answerAttentionCheck,
  getAttentionCheck,
  getWatched,
  type PlaylistWatch,
  track,
} from '@watchline/contracts/engagement'
import type { AnyOperation, BodyInputOf } from '@watchline/contracts/operation'
import {
  getSessionStatus,
  heartbeat,
  type SessionStatus,
  saveProgress,
  setMonitoring,
} from '@watchline/contracts/playback'
import { reportUnavailable } from '@watchline/contracts/playlists'
import { type Answer, type CallOptions, callOperation, type InputOf } from '../../api/call-operation.ts'
import type { RequestOptions } from '../../outbox/outbox-types.ts'
import { answerTimeoutMs } from '../../outbox/request-timeout.ts'

export type MonitoringBody = BodyInputOf<typeof setMonitoring>
export type SaveProgressBody = BodyInputOf<typeof saveProgress>
/** The player identifies and dates every report, because unsent ones are merged and repeated. */
export type TrackBody = BodyInputOf<typeof track> & { event_id: string; playback_rate: number; client_time: string }
export type TrackType = TrackBody['event_type']

/** A call that stays in the outbox until the server has answered it. */
export type PlayerCall =
  | { kind: 'attention-check'; body: AttentionBody }
  | { kind: 'save-progress'; body: SaveProgressBody }
  | { kind: 'monitoring'; body: MonitoringBody }
  | { kind: 'track'; body: TrackBody }
  /** This page adds none. It sends those that a page of an earlier version has stored here. */
  | { kind: 'comment'; body: BodyInputOf<typeof addComment> }

export type AttentionAction = BodyInputOf<typeof answerAttentionCheck>['action']

export interface AttentionBody {
  id: string
  action: AttentionAction
  /** The time of the person's answer, and the one until which it was in time, in ms. */
  at: number
  until: number
}

export interface PlayerApi {
  send(call: PlayerCall, options: RequestOptions): Promise<Answer<unknown>>
  getSessionStatus(playlistId?: string): Promise<Answer<SessionStatus>>
  getWatched(playlistId: string): Promise<Answer<PlaylistWatch>>
  heartbeat(): Promise<Answer<unknown>>
  getAttentionCheck(): Promise<Answer<{ attention_check?: AttentionCheck | undefined }>>
  /** The video cannot be played; `code` is the provider's. */
  reportUnavailable(playlistId: string, videoId: string, code: number): Promise<Answer<unknown>>
}

/** A lost lock is requested again only after an answer, and a broken connection may give none. */
const limitedTime: CallOptions = { timeoutMs: answerTimeoutMs }

export const playerApi: PlayerApi = {
  send(call, options) {
    switch (call.kind) {
      case 'attention-check':
        return callWithRequestId(answerAttentionCheck, toAnswer(call.body), options)
      case 'save-progress':
        return callWithRequestId(saveProgress, { body: call.body }, asReport(options))
      case 'monitoring':
        return callWithRequestId(setMonitoring, { body: call.body }, options)
      case 'track':
        return callWithRequestId(track, { body: call.body }, asReport(options))
      case 'comment':
        return callWithRequestId(addComment, { body: call.body }, options)
    }
  },
  getSessionStatus: playlistId => callOperation(getSessionStatus, { query: { playlist_id: playlistId } }, limitedTime),
  getWatched: playlistId => callOperation(getWatched, { params: { playlistId } }),
  getAttentionCheck: () => callOperation(getAttentionCheck, {}),
  heartbeat: () => callOperation(heartbeat, {}, limitedTime),
  reportUnavailable: (id, videoId, code) =>
    callOperation(reportUnavailable, { params: { id, videoId }, body: { code } }),
}

/** An age, because the clocks of device and server may differ. */
function toAnswer({ id, action, at }: AttentionBody) {
  return { params: { id }, body: { action, age_s: Math.max(0, Date.now() - at) / 1_000 } }
}

/** Nobody waits for a report, except when the page is hidden and may never send it again. */
function asReport(options: RequestOptions): RequestOptions & CallOptions {
  return options.keepalive ? options : { ...options, priority: 'report' }
}

/** Every repetition of a call carries the same request id. */
function callWithRequestId<O extends AnyOperation>(
  operation: O,
  input: InputOf<O>,
  { id, ...options }: RequestOptions & CallOptions,
) {
  return callOperation(operation, input, { ...options, headers: { 'x-request-id': id } })
}

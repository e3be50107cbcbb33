import { limits } from '@watchline/contracts/limits'
import type { Operation, Rates } from './operations.ts'

type CallsPerMinute = Partial<Record<Operation, number>>

/**
 * The calls a minute of a trainee's page while a video plays and the live stream works.
 * e2e/test/page-calls.test.ts compares them with what Chromium sends.
 */
export const watchingPageCalls = {
  'save-progress': 6,
  track: 6,
  heartbeat: 2,
  'comments poll': 2,
  'notifications poll': 1,
  'chat poll': 1,
} as const satisfies CallsPerMinute

/**
 * The calls a minute of a supervisor's dashboard while nothing changes, also compared with
 * Chromium.
 */
export const dashboardCalls = {
  'team figures poll': 2,
  'member figures poll': 2,
  'team members poll': 2,
  'playlists poll': 2,
  'online poll': 1,
  'supervisor notifications poll': 1,
  'supervisor chat poll': 1,
} as const satisfies CallsPerMinute

/** The dashboard also polls each list of people that is not empty. One is assumed. */
const memberListCalls: CallsPerMinute = { 'finished poll': 2 }

/** Each page renews its access token after the first call that is refused as expired. */
const tokenRefreshesPerMinute = 60 / limits.accessTokenTtlS

/**
 * The paths that a trainee's page reads from sign-in until the video plays.
 * e2e/test/page-calls.test.ts compares the set of them with what Chromium reads.
 */
export const openingReads = (playlistId: string, videoId: string): readonly string[] => [
  '/auth/profile',
  '/playlists/today',
  '/playlists/assigned',
  '/playlists/assigned',
  '/notifications',
  '/chat/unread-count',
  `/engagement/watched/${playlistId}`,
  '/session/status',
  `/playlists/${playlistId}`,
  `/comments/${playlistId}/${videoId}`,
  `/engagement/watched/${playlistId}`,
  '/session/status',
]

/** The actions of people themselves, calls a minute: an assumption, not a measurement. */
const traineeActions: CallsPerMinute = { comment: 0.1, 'chat send': 0.2 }
const supervisorActions: CallsPerMinute = { 'chat answer': 0.5 }

/** Operations whose answer a person waits for. The others run in the background. */
export const awaitedOperations: readonly Operation[] = ['comment', 'chat send', 'chat answer']

/** The reports of the player. */
export const reportOperations: readonly Operation[] = ['save-progress', 'track']

/** The calls a second of this many people together. */
export function ratesOf({ trainees, supervisors }: { trainees: number; supervisors: number }): Rates {
  const perSecond = (calls: CallsPerMinute, people: number) =>
    Object.fromEntries(Object.entries(calls).map(([operation, perMinute]) => [operation, (perMinute * people) / 60]))
  return {
    ...perSecond({ ...watchingPageCalls, ...traineeActions, 'token refresh': tokenRefreshesPerMinute }, trainees),
    ...perSecond(
      {
        ...{ ...dashboardCalls, ...memberListCalls, ...supervisorActions },
        'supervisor token refresh': tokenRefreshesPerMinute,
      },
      supervisors,
    ),
  }
}

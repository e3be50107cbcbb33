import { defaultConditions } from '@watchline/contracts/conditions'
import type { PlaylistWatch } from '@watchline/contracts/engagement'
import type { SessionLaunch, SessionVideo } from '../../src/features/player/session-playlist.ts'
import { makePlaylistWatch, makeVideoWatch } from '../watch-credit/_watch-data.ts'
import { createDriver, makeSessionPlaylist } from './_session-driver.ts'

/** A task without skipping ahead: three videos of a minute. */
export const limitedPlaylist = (provider: SessionVideo['provider'] = 'youtube') =>
  makeSessionPlaylist(3, provider, { conditions: { ...defaultConditions, allow_skipping: false } })

/** The server's answer about it: how far each video is watched, v0 first. */
export function makeLimitedWatch(untils: readonly number[], changes: Partial<PlaylistWatch> = {}): PlaylistWatch {
  const videos = untils.map((until, index) =>
    makeVideoWatch({
      ...{ video_id: `v${index}`, duration: 60, watched: until > 0 ? [[0, until]] : [], missing: [[until, 60]] },
      reach: { until, passed: until >= 54 },
    }),
  )
  return makePlaylistWatch(videos, changes)
}

/** The answer to a report of one video. */
export const makeReportWatch = (index: number, until: number) => {
  const { videos, ...watch } = makeLimitedWatch([0, 0, 0].map((_, at) => (at === index ? until : 0)))
  return { ...watch, videos: [videos[index]!] }
}

/** A session of the task that has just learnt how far it is watched. */
export function createLimitedDriver(untils: readonly number[], launch?: SessionLaunch) {
  const driver = createDriver(limitedPlaylist(), launch)
  driver.send({ type: 'start' })
  driver.send({ type: 'reach-loaded', watch: makeLimitedWatch(untils), at: 0 })
  return driver
}

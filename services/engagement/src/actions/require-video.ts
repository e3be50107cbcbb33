import { failField } from '@watchline/kit/core/errors'
import type { PlaylistVideo } from '../rules/playlist.ts'
import type { VideoCheck } from '../rules/reported-video.ts'

/** Throws 422 `invalid` with the field that is wrong. */
export function requireVideo({ video, problem }: VideoCheck): PlaylistVideo {
  return video ?? failField(problem.path, problem.message)
}

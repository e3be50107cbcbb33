import { getVideoCover as operation } from '@watchline/contracts/playlists'
import { fail } from '@watchline/kit/core/errors'
import { pictureReply } from '@watchline/kit/http/picture-loader'
import { defineRoute } from '@watchline/kit/http/route'
import type { PlaybackContext } from '../context.ts'

export const getVideoCover = defineRoute(operation, async ({ params, query }, { videoCovers }: PlaybackContext) =>
  pictureReply((await videoCovers.load(params.videoId, query.size)) ?? fail('not_found')),
)

import { loadableUrlOf } from '@watchline/contracts/media'
import { usePreviewMediaQuery } from '../playlists-api.ts'
import { isOwnFile } from './own-file.ts'
import type { DraftVideo } from './playlist-draft.ts'

/**
 * The address from which this page loads the file of a draft's video. The server signs one for an
 * own file; until then it is undefined.
 */
export function useLoadableUrl(video: DraftVideo): string | undefined {
  const { url, media_url } = video
  const needsAddress = media_url === undefined && isOwnFile(url)
  const { currentData, isError } = usePreviewMediaQuery({ query: { url: url ?? '' } }, { skip: !needsAddress })
  if (!needsAddress || isError) return loadableUrlOf(video)
  return currentData && (currentData.media_url ?? url)
}

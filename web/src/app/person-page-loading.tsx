import { readAccountKind } from '../api/cookies.ts'
import { FrameLoading } from '../ui/frame-loading.tsx'
import { PageLoading } from '../ui/page-state.tsx'

/**
 * A page that needs a signed-in person, while it is loading: the frame if there probably is one.
 */
export function PersonPageLoading() {
  return readAccountKind() ? <FrameLoading /> : <PageLoading />
}

import { readAccountKind } from '../api/cookies.ts'
import { PageLoading } from '../ui/feedback/page-state.tsx'
import { FrameLoading } from '../ui/frame/frame-loading.tsx'

/**
 * A page that needs a signed-in person, while it is loading: the frame if there probably is one.
 */
export function PersonPageLoading() {
  return readAccountKind() ? <FrameLoading /> : <PageLoading />
}

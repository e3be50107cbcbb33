import { type ReactNode, useDeferredValue, useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import type { Person } from '../api/signed-in-person.ts'
import { Introduction } from '../features/introduction/introduction.tsx'
import { sessionAddressOf } from '../features/launch/session-address.ts'
import { loadable } from '../ui/feedback/loadable.tsx'
import { SkeletonCard } from '../ui/feedback/states.tsx'
import { isOwnRecord } from './own-record-address.ts'

const OwnNoticeAnswer = loadable(
  () => import('../features/monitoring-notice/own-answer.tsx').then(module => module.OwnNoticeAnswer),
  null,
)
const OwnRecordPage = loadable(
  () => import('../features/own-record/own-record-page.tsx').then(module => module.OwnRecordPage),
  <SkeletonCard />,
)

/**
 * The person's own record if the address names it; else their screen, a dashboard with its
 * introduction.
 */
export function PersonContent({ person, children }: { person: Person; children: ReactNode }) {
  const [params] = useSearchParams()
  const isRecord = isOwnRecord(params)
  useTopOfPage(isRecord)
  // The frame is one task of the browser, its content the next.
  const isContentDue = useDeferredValue(true, false)
  if (!isContentDue) return <SkeletonCard />
  if (isRecord) return <OwnRecordPage person={person} noticeAnswer={<OwnNoticeAnswer />} />
  return (
    <>
      {sessionAddressOf(params) ? null : <Introduction role={person.role} />}
      {children}
    </>
  )
}

/** When the record replaces the dashboard, or the other way round, reading starts at the top. */
function useTopOfPage(isRecord: boolean): void {
  const wasRecord = useRef(isRecord)
  useEffect(() => {
    if (wasRecord.current === isRecord) return
    wasRecord.current = isRecord
    window.scrollTo(0, 0)
    document.getElementById('main')?.focus({ preventScroll: true })
  }, [isRecord])
}

import { useEffect } from 'react'
import type { ReportPage } from './reports-api.ts'

/** Opens the browser's print dialog as soon as the report around it is on the page. */
export function PrintDialog({ report, onEnd }: { report: ReportPage; onEnd: () => void }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it opens once for each print
  useEffect(() => {
    window.addEventListener('afterprint', onEnd, { once: true })
    const opening = setTimeout(() => window.print())
    return () => {
      clearTimeout(opening)
      window.removeEventListener('afterprint', onEnd)
    }
  }, [report])
  return null
}

import { useEffect, useRef, useState } from 'react'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import { type ReportPage, type ReportQuery, readWholeReport } from './reports-api.ts'

interface Print {
  /** The report with the rows of the print, while it is printed. */
  printed: ReportPage | undefined
  isPreparing: boolean
  print: () => void
  end: () => void
}

/** Prints all rows of the report of this query, of which the page may show only some. */
export function usePrint(query: ReportQuery, shown: ReportPage | undefined): Print {
  const alerts = useAlerts()
  const key = JSON.stringify(query)
  const [prepared, setPrepared] = useState<{ key: string; report: ReportPage }>()
  const [preparingKey, setPreparingKey] = useState<string>()
  const isPreparing = preparingKey === key
  const shownQuery = useRef({ key })
  // Another query abandons the print, so that it does not open when the person returns.
  useEffect(() => {
    shownQuery.current = { key }
    return () => {
      setPrepared(undefined)
      setPreparingKey(undefined)
    }
  }, [key])

  async function print() {
    if (!shown || isPreparing) return
    if (isWhole(shown)) {
      // Another object, so that a second press opens the dialog again.
      setPrepared({ key, report: { ...shown } })
      return
    }
    setPreparingKey(key)
    const startedFor = shownQuery.current
    const result = await readWholeReport(query)
    if (shownQuery.current !== startedFor) return
    setPreparingKey(undefined)
    if ('report' in result) setPrepared({ key, report: result.report })
    else alerts.fail('The report could not be printed. Please try again.', result.failure)
  }

  return {
    // A report of another query must not be printed under the new filters.
    printed: prepared?.key === key ? prepared.report : undefined,
    isPreparing,
    print,
    end: () => setPrepared(undefined),
  }
}

/** The page shows all rows. */
export function isWhole({ rows, rowCount = rows.length }: ReportPage): boolean {
  return rows.length === rowCount
}

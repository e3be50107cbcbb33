import { skipToken } from '@reduxjs/toolkit/query'
import type { SavedReport } from '@watchline/contracts/saved-reports'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { asFailure, type Failure } from '../../api/failure.ts'
import { useGetSavedReportQuery } from './reports-api.ts'

interface OpenedReport {
  /** The report whose choice is shown. */
  openedId: string | undefined
  /** The address names a report that is not here yet. */
  isLoading: boolean
  failure: Failure | undefined
  retry: () => void
  open: (report: SavedReport) => void
  /** Something else is shown from now on. */
  close: () => void
}

/** The saved report that the address names, as the link in a mail does. `fill` shows its choice. */
export function useOpenedReport(fill: (report: SavedReport) => void): OpenedReport {
  const [params, setParams] = useSearchParams()
  const id = params.get('report') ?? undefined
  const [filledId, setFilledId] = useState<string>()
  const isFilled = id === filledId
  const { currentData, error, refetch } = useGetSavedReportQuery(
    id === undefined || isFilled ? skipToken : { params: { id } },
  )

  function nameInAddress(reportId: string | undefined) {
    setParams(
      current => {
        const next = new URLSearchParams(current)
        if (reportId === undefined) next.delete('report')
        else next.set('report', reportId)
        return next
      },
      { replace: true },
    )
  }

  function open(report: SavedReport) {
    setFilledId(report.id)
    fill(report)
    if (report.id !== id) nameInAddress(report.id)
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a report fills the form once, when it arrives
  useEffect(() => {
    if (currentData) open(currentData)
  }, [currentData])

  const failure = error && !isFilled ? asFailure(error) : undefined
  return {
    openedId: isFilled ? id : undefined,
    isLoading: id !== undefined && !isFilled && !failure,
    failure,
    retry: refetch,
    open,
    close: () => {
      // The address changes later. Until then the report must not be loaded and fill the form
      // again.
      if (id !== undefined) nameInAddress(undefined)
    },
  }
}

import { auditAction } from '@watchline/contracts/audit'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { z } from 'zod'
import { endOfDay, parseDay, startOfDay } from '../../../ui/dates/parse-day.ts'
import { useRememberedChoice } from '../../../ui/lists/remembered-choice.ts'

const fields = ['action', 'from', 'until'] as const
type Field = (typeof fields)[number]
const filterSchema = z.object({ action: z.string(), from: z.string(), until: z.string() })
const noFilter = { action: '', from: '', until: '' }

/**
 * The filter by action and days. The address repeats it, so that a reload and a link show the same.
 * Without a filter in the address, the last one applies again.
 */
export function useAuditFilter() {
  const [params, setParams] = useSearchParams()
  const [lastFilter, rememberFilter] = useRememberedChoice('audit-filter', filterSchema, noFilter)
  const [filterValues, setFilterValues] = useState(() => {
    if (!fields.some(field => params.has(field))) return lastFilter
    return {
      action: params.get('action') ?? '',
      from: params.get('from') ?? '',
      until: params.get('until') ?? '',
    }
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: only the filter changes the address
  useEffect(() => {
    const nextParams = new URLSearchParams(params)
    for (const field of fields) {
      if (filterValues[field] === '') nextParams.delete(field)
      else nextParams.set(field, filterValues[field])
    }
    if (nextParams.toString() !== params.toString()) setParams(nextParams, { replace: true })
  }, [filterValues])

  const action = auditAction.safeParse(filterValues.action).data
  const from = parseDay(filterValues.from)
  const until = parseDay(filterValues.until)
  return {
    action,
    from,
    until,
    /** The last day is before the first, so nothing can match. */
    isReversed: from !== undefined && until !== undefined && until < from,
    query: { action, from: from && startOfDay(from), until: until && endOfDay(until) },
    change(field: Field, value: string) {
      const newValues = { ...filterValues, [field]: value }
      setFilterValues(newValues)
      rememberFilter(newValues)
    },
  }
}

export type AuditFilterState = ReturnType<typeof useAuditFilter>

import { auditAction } from '@watchline/contracts/audit'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { endOfDay, parseDay, startOfDay } from './parse-day.ts'

const fields = ['action', 'from', 'until'] as const
type Field = (typeof fields)[number]

/**
 * The filter by action and days. The address repeats it, so that a reload and a link show the same.
 */
export function useAuditFilter() {
  const [params, setParams] = useSearchParams()
  const [chosen, setChosen] = useState(() => ({
    action: params.get('action') ?? '',
    from: params.get('from') ?? '',
    until: params.get('until') ?? '',
  }))

  // biome-ignore lint/correctness/useExhaustiveDependencies: only the filter changes the address
  useEffect(() => {
    const next = new URLSearchParams(params)
    for (const field of fields) {
      if (chosen[field] === '') next.delete(field)
      else next.set(field, chosen[field])
    }
    if (next.toString() !== params.toString()) setParams(next, { replace: true })
  }, [chosen])

  const action = auditAction.safeParse(chosen.action).data
  const from = parseDay(chosen.from)
  const until = parseDay(chosen.until)
  return {
    action,
    from,
    until,
    /** The last day is before the first, so nothing can match. */
    reversed: from !== undefined && until !== undefined && until < from,
    query: { action, from: from && startOfDay(from), until: until && endOfDay(until) },
    change: (field: Field, value: string) => setChosen(before => ({ ...before, [field]: value })),
  }
}

export type AuditFilterState = ReturnType<typeof useAuditFilter>

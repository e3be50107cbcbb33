import { describe, expect, test } from '@jest/globals'
import { renderHook } from '@testing-library/react'
import { usePolling } from '../../src/api/polling.ts'

describe('polling', () => {
  test('adds a random delay once and keeps it', () => {
    const { result, rerender } = renderHook(() => usePolling(15_000))
    const { pollingInterval } = result.current
    expect(pollingInterval).toBeGreaterThanOrEqual(15_000)
    expect(pollingInterval).toBeLessThanOrEqual(16_500)
    rerender()
    expect(result.current.pollingInterval).toBe(pollingInterval)
    expect(result.current.skipPollingIfUnfocused).toBe(true)
  })

  test('does not run while it is switched off', () => {
    const { result } = renderHook(() => usePolling(15_000, false))
    expect(result.current).toMatchObject({ pollingInterval: 0, refetchOnFocus: false })
  })
})

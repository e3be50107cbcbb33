import { describe, expect, test } from '@jest/globals'
import { act, renderHook } from '@testing-library/react'
import { limits } from '@watchline/contracts/limits'
import { useHintedPolling, usePolling } from '../../src/api/polling.ts'
import { openStream } from '../../src/api/stream.ts'
import { FakeStream } from '../support/fake-stream.ts'

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

  test('of data with hints slows down while heartbeats of the live stream arrive', () => {
    const { result } = renderHook(() => useHintedPolling(5_000))
    const expectInterval = (ms: number) => {
      expect(result.current.pollingInterval).toBeGreaterThanOrEqual(ms)
      expect(result.current.pollingInterval).toBeLessThanOrEqual(1.1 * ms)
    }
    expectInterval(5_000)
    const stream = openStream({ onHint: () => {}, connect: url => new FakeStream(url) })
    act(() => FakeStream.last.accept().sendHint({ type: 'hello', missed: false }))
    expectInterval(5_000)
    act(() => FakeStream.last.sendHint({ type: 'heartbeat' }))
    expectInterval(limits.hintedPollMs)
    act(() => FakeStream.last.fail())
    expectInterval(5_000)
    act(() => stream.close())
  })
})

import { afterEach, expect, jest, test } from '@jest/globals'
import { waitFor } from '@testing-library/react'
import { preloadResponse, takePreloadedResponse } from '../../src/api/preloaded-responses.ts'

afterEach(() => {
  jest.restoreAllMocks()
  globalThis.watchlinePreloads = undefined
})

test('a preloaded answer is taken once, and not when it is old', async () => {
  const answer = new Response('{}')
  jest.spyOn(globalThis, 'fetch').mockResolvedValue(answer)
  preloadResponse('/users')
  expect(takePreloadedResponse('/playlists', undefined)).toBeUndefined()
  expect(await takePreloadedResponse('/users', undefined)).toBe(answer)
  expect(takePreloadedResponse('/users', undefined)).toBeUndefined()

  preloadResponse('/users')
  jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 10_000)
  expect(takePreloadedResponse('/users', undefined)).toBeUndefined()
})

test('the timeout of a call ends a preloaded request that hangs', async () => {
  const requests: (AbortSignal | null | undefined)[] = []
  jest.spyOn(globalThis, 'fetch').mockImplementation((_url, options) => {
    requests.push(options?.signal)
    return new Promise((_resolve, reject) =>
      options?.signal?.addEventListener('abort', () => reject(new Error('ended'))),
    )
  })
  preloadResponse('/users')
  const call = new AbortController()
  const response = takePreloadedResponse('/users', call.signal)
  call.abort()
  await expect(response).rejects.toThrow('ended')

  preloadResponse('/users')
  await expect(takePreloadedResponse('/users', AbortSignal.abort())).rejects.toThrow('ended')
  expect(requests.map(signal => signal?.aborted)).toEqual([true, true])
})

test('the answers that need a preloaded one are requested with it, unless the client has taken it', async () => {
  const requested: unknown[] = []
  jest.spyOn(globalThis, 'fetch').mockImplementation(async url => {
    requested.push(new URL(String(url)).pathname)
    return new Response('{"id":"task"}')
  })
  const findFollowing = (answer: unknown) => [`/watched/${(answer as { id: string }).id}`]
  preloadResponse('/today', findFollowing)
  await waitFor(() => expect(requested).toEqual(['/api/today', '/api/watched/task']))
  const answer = await takePreloadedResponse('/today', undefined)
  expect(await answer?.json()).toEqual({ id: 'task' })
  expect(takePreloadedResponse('/watched/task', undefined)).toBeDefined()

  preloadResponse('/today', findFollowing)
  await takePreloadedResponse('/today', undefined)
  await new Promise(resolve => setTimeout(resolve))
  expect(requested).toHaveLength(3)
})

import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@watchline/contracts/limits'
import type { Clock } from '@watchline/kit/core/clock'
import type { z } from 'zod'
import { failForResponse, failForTimeout, failForVideoData } from './errors.ts'

export interface VideoDataLimits {
  /** Time limit of one call. */
  callMs?: number
  /** Time limit of all calls of one reading. */
  totalMs?: number
  maxAnswerBytes?: number
  /** The pause before the only retry of a call. */
  retryPauseMs?: number
}

export interface YoutubeApiOptions extends VideoDataLimits {
  apiUrl: string
  apiKey: string | undefined
  clock: Clock
}

/** Calls a `list` method; fails with the contract's errors of video data. */
export type CallYoutube = <S extends z.ZodType>(
  resource: 'playlists' | 'playlistItems' | 'videos',
  parameters: Record<string, string>,
  schema: S,
  signal: AbortSignal,
) => Promise<z.infer<S>>

/** A network failure or a 5xx, which a retry may pass. */
class TemporaryError extends Error {}

/** A time limit is over, or a parallel call has failed. */
class AbortedError extends Error {}

/** The key travels in a header: proxies and traces record URLs. */
export function createYoutubeCall({
  apiUrl,
  apiKey,
  clock,
  callMs = limits.videoDataCallTimeoutMs,
  maxAnswerBytes = 4 * 1024 * 1024,
  retryPauseMs = 200,
}: YoutubeApiOptions): CallYoutube {
  return async (resource, parameters, schema, signal) => {
    const name = `${resource}.list`
    const callOnce = async () => {
      const url = `${apiUrl}/${resource}?${new URLSearchParams(parameters)}`
      const { status, body } = await fetchJson(url, {
        apiKey: apiKey!,
        signal: AbortSignal.any([signal, AbortSignal.timeout(callMs)]),
        maxBytes: maxAnswerBytes,
      })
      if (status >= 500) throw new TemporaryError(`YouTube answered ${status} to ${name}`)
      if (status !== 200) failForResponse(name, status, body, clock.now())
      const parsed = schema.safeParse(body)
      if (!parsed.success) failForVideoData(`YouTube's answer to ${name} has not the shape it should have`)
      return parsed.data
    }
    try {
      return await callOnce().catch(async error => {
        if (!(error instanceof TemporaryError)) throw error
        await pause(retryPauseMs)
        return callOnce()
      })
    } catch (error) {
      if (error instanceof TemporaryError) failForVideoData(error.message)
      if (error instanceof AbortedError) failForTimeout(name)
      throw error
    }
  }
}

async function fetchJson(
  url: string,
  { apiKey, signal, maxBytes }: { apiKey: string; signal: AbortSignal; maxBytes: number },
): Promise<{ status: number; body: unknown }> {
  let status: number
  let text: string | undefined
  try {
    const headers = { accept: 'application/json', 'x-goog-api-key': apiKey }
    const response = await fetch(url, { signal, redirect: 'manual', headers })
    status = response.status
    text = await readUpTo(response, maxBytes)
  } catch (error) {
    if (signal.aborted) throw new AbortedError()
    const { code, name } = Object((error as Error).cause ?? error) as { code?: string; name?: string }
    throw new TemporaryError(`YouTube could not be reached: ${code ?? name ?? 'unknown'}`)
  }
  if (text === undefined) failForVideoData(`YouTube's answer is longer than ${maxBytes} bytes`)
  return { status, body: parseJson(text, status) }
}

/** Undefined if the body is longer. */
async function readUpTo(response: Response, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the rest of the body.
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The body of an error may be HTML; its status says enough. */
function parseJson(text: string, status: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return status === 200 ? failForVideoData("YouTube's answer is not JSON") : undefined
  }
}

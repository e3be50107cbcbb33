import { getProfile } from '@watchline/contracts/auth'
import { apiUrl } from './api-url.ts'
import { callOperation } from './call-operation.ts'
import { abortFailure, type Failure, failureOf, networkFailure } from './failure.ts'

/**
 * Saves the answer of a GET as a file, or returns the failure. Never saves an incomplete response.
 * `name` is used if the server names no file.
 */
export async function downloadFile(path: string, name: string): Promise<Failure | undefined> {
  try {
    const response = await requestFile(path)
    if (!(response instanceof Response)) return response
    if (!response.ok) return failureOf(response, await response.json().catch(() => undefined))
    saveFile(await response.blob(), fileNameOf(response) ?? name)
    return undefined
  } catch (error) {
    return error instanceof DOMException && error.name === 'AbortError' ? abortFailure : networkFailure
  }
}

/** The answer of a GET that is no JSON, or the failure to renew the session. Rejects if offline. */
export async function requestFile(path: string): Promise<Response | Failure> {
  const request = () => fetch(apiUrl(path), { credentials: 'same-origin' })
  const response = await request()
  if (response.status !== 401) return response
  // A call through the API client renews an expired session; this one is small.
  const renewed = await callOperation(getProfile, {})
  return renewed.ok ? request() : renewed
}

function fileNameOf(response: Response): string | undefined {
  return /filename="?([\w.-]+)"?/.exec(response.headers.get('content-disposition') ?? '')?.[1]
}

/** The browser reads the file some time after the click, so its address stays this long. */
const urlLifetimeMs = 60_000

/** Saves a file that the page has made. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), urlLifetimeMs)
}

import { exportTeam, getTeam } from '@watchline/contracts/engagement'
import { apiUrl } from '../../api/api-url.ts'
import { callOperation } from '../../api/call-operation.ts'
import { abortFailure, type Failure, failureOf, networkFailure } from '../../api/failure.ts'

/** Saves the export as a file, or says why not. Nothing is saved of an answer that broke off. */
export async function downloadExport(): Promise<Failure | undefined> {
  try {
    let response = await request()
    if (response.status === 401) {
      // Any call of the contract renews an expired session on its way; this is a small one.
      const renewed = await callOperation(getTeam, { query: { limit: 1 } })
      if (!renewed.ok) return renewed
      response = await request()
    }
    if (!response.ok) return failureOf(response, await response.json().catch(() => undefined))
    save(await response.blob(), nameOf(response))
    return undefined
  } catch (error) {
    return error instanceof DOMException && error.name === 'AbortError' ? abortFailure : networkFailure
  }
}

function request(): Promise<Response> {
  return fetch(apiUrl(exportTeam.path), { credentials: 'same-origin' })
}

function nameOf(response: Response): string {
  const given = /filename="?([\w.-]+)"?/.exec(response.headers.get('content-disposition') ?? '')?.[1]
  return given ?? `watchline-team-${new Date().toISOString().slice(0, 10)}.csv`
}

/** The browser reads the file after the click; only then may its address go. */
const readMs = 60_000

function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), readMs)
}

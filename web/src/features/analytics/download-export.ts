import { exportTeam, getTeam } from '@watchline/contracts/engagement'
import { apiUrl } from '../../api/api-url.ts'
import { callOperation } from '../../api/call-operation.ts'
import { abortFailure, type Failure, failureOf, networkFailure } from '../../api/failure.ts'
import type { TeamScope } from './analytics-api.ts'

/** Saves the export as a file, or returns the failure. Never saves an incomplete response. */
export async function downloadExport(scope: TeamScope): Promise<Failure | undefined> {
  try {
    let response = await requestExport(scope)
    if (response.status === 401) {
      // A call through the API client renews an expired session; this one is small.
      const renewed = await callOperation(getTeam, { query: { limit: 1 } })
      if (!renewed.ok) return renewed
      response = await requestExport(scope)
    }
    if (!response.ok) return failureOf(response, await response.json().catch(() => undefined))
    saveFile(await response.blob(), fileNameOf(response))
    return undefined
  } catch (error) {
    return error instanceof DOMException && error.name === 'AbortError' ? abortFailure : networkFailure
  }
}

export function exportPath(scope: TeamScope): string {
  const query = new URLSearchParams(Object.entries(scope).filter(([, id]) => id !== undefined))
  return query.size > 0 ? `${exportTeam.path}?${query}` : exportTeam.path
}

function requestExport(scope: TeamScope): Promise<Response> {
  return fetch(apiUrl(exportPath(scope)), { credentials: 'same-origin' })
}

function fileNameOf(response: Response): string {
  const fileName = /filename="?([\w.-]+)"?/.exec(response.headers.get('content-disposition') ?? '')?.[1]
  return fileName ?? `watchline-team-${new Date().toISOString().slice(0, 10)}.csv`
}

/** The browser reads the file some time after the click, so its address stays this long. */
const urlLifetimeMs = 60_000

function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), urlLifetimeMs)
}

import { endOfPersonalData, personalDataExports, personalDataLine } from '@watchline/contracts/privacy'
import { requestFile } from './download-file.ts'
import { abortFailure, type Failure, failureOf, networkFailure } from './failure.ts'

/** All that is recorded of a person: the items of each kind. */
export type PersonalData = Record<string, unknown[]>

/**
 * Reads what every service holds of the signed-in person, or of another one for an administrator.
 * One service after the other; incomplete answers are failures.
 */
export async function readPersonalData(
  userId?: string,
): Promise<{ ok: true; data: PersonalData } | { ok: false; failure: Failure }> {
  const data: PersonalData = {}
  const query = userId === undefined ? '' : `?user_id=${encodeURIComponent(userId)}`
  for (const { path } of personalDataExports) {
    const failure = await readLines(path + query, data)
    if (failure) return { ok: false, failure }
  }
  return { ok: true, data }
}

async function readLines(path: string, data: PersonalData): Promise<Failure | undefined> {
  try {
    const response = await requestFile(path)
    if (!(response instanceof Response)) return response
    if (!response.ok) return failureOf(response, await response.json().catch(() => undefined))
    const lines = (await response.text()).trimEnd().split('\n')
    const parts = lines.map(line => personalDataLine.parse(JSON.parse(line)))
    if (parts.pop()?.kind !== endOfPersonalData.kind) return networkFailure
    for (const { kind, data: item } of parts) {
      data[kind] ??= []
      data[kind].push(item)
    }
    return undefined
  } catch (error) {
    return error instanceof DOMException && error.name === 'AbortError' ? abortFailure : networkFailure
  }
}

const timeoutMs = 15_000
const absentStatuses = new Set([404, 410])

/**
 * Asks the file's server without loading the file. True only for a clear answer: a server of
 * another site may refuse to answer this page and still play the file.
 */
export async function isFileMissing(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'HEAD',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    if (absentStatuses.has(response.status)) return true
    // A page instead of a file: many sites answer unknown addresses with their start page.
    return response.ok && (response.headers.get('content-type') ?? '').startsWith('text/html')
  } catch {
    return false
  }
}

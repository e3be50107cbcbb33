export type Reachability = 'missing' | 'reachable' | 'unreachable'

/** Asks for the file of a video that did not play: whether it, or the network, is the reason. */
export async function probeAddress(url: string): Promise<Reachability> {
  if (!navigator.onLine) return 'unreachable'
  try {
    const answer = await fetch(url, { method: 'HEAD', mode: 'same-origin', cache: 'no-store' })
    if (answer.ok) return 'reachable'
    return isMissingStatus(answer.status) ? 'missing' : 'unreachable'
  } catch {
    return 'unreachable'
  }
}

/** 401 and 403: the sign-in must be renewed first, which the next call of the page does. */
export function isMissingStatus(status: number): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 403 && status !== 429
}

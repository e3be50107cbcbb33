import type { OnlineSummary } from '@watchline/contracts/presence'
import type { Status } from './status-dot.tsx'

/** The online summary as every screen of staff gets it. */
export interface Online {
  /** undefined until the first answer. */
  summary?: OnlineSummary
  /** The latest refresh failed; the summary, if any, is older. */
  failed: boolean
}

/** A person's status; undefined if the summary is unknown, or too incomplete to say offline. */
export function findStatus(userId: string, summary: OnlineSummary | undefined): Status | undefined {
  if (!summary) return undefined
  const onlineUser = summary.users.find(user => user.user_id === userId)
  if (onlineUser) return onlineUser.status
  return isComplete(summary) ? 'offline' : undefined
}

/** Whether the summary lists everybody who is online. The server cuts a very long list. */
export function isComplete({ users, total_online }: OnlineSummary): boolean {
  return users.length >= total_online
}

import type { MemberAnalytics } from './engagement.ts'
import { limits } from './limits.ts'

type NeedFigures = Pick<MemberAnalytics, 'completion_rate' | 'total_videos' | 'notes' | 'overdue_tasks'>

const maxNotes = 999

/**
 * Smaller for members who need attention more: overdue tasks, then low completion and notes, then
 * the lower completion, then more notes. A member without assigned videos is never low. Long lists
 * are ordered by the server and short ones by the page, so both use it.
 */
export function rankNeed({ overdue_tasks = 0, completion_rate, total_videos, notes }: NeedFigures): number {
  const isLow = total_videos > 0 && completion_rate < limits.completionYellow
  const urgency = isLow ? (notes > 0 ? 0 : 1) : notes > 0 ? 2 : total_videos > 0 ? 3 : 4
  return (
    ((overdue_tasks > 0 ? 0 : 5) + urgency) * 1e6 + completion_rate * 1_000 + (maxNotes - Math.min(notes, maxNotes))
  )
}

import type { MemberAnalytics } from './engagement.ts'
import { limits } from './limits.ts'

type AttentionFigures = Pick<MemberAnalytics, 'completion_rate' | 'total_videos' | 'notes' | 'overdue_tasks'>

const maxNotes = 999

/**
 * The rank by need of attention, smaller for members who need it more. Overdue tasks count first,
 * then low completion and notes, then the lower completion, then more notes. Without assigned
 * videos no completion is low. The server orders long lists and the page orders short ones, so the
 * rule stands beside their contract, as that of searches does.
 */
export function rankAttention({ overdue_tasks = 0, completion_rate, total_videos, notes }: AttentionFigures): number {
  const isLow = total_videos > 0 && completion_rate < limits.completionYellow
  const urgency = isLow ? (notes > 0 ? 0 : 1) : notes > 0 ? 2 : total_videos > 0 ? 3 : 4
  return (
    ((overdue_tasks > 0 ? 0 : 5) + urgency) * 1e6 + completion_rate * 1_000 + (maxNotes - Math.min(notes, maxNotes))
  )
}

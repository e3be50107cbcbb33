/*
 * A save resolves only when its position is durable, or was rejected because a newer lock exists.
 * Positions are written in shared bulk writes, which costs each save up to one batch window of
 * latency.
 */
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { backgroundWindowMs, createGroupCommit } from '@watchline/kit/mongo/group-commit'
import type { CommitMetrics } from '@watchline/kit/observability/metrics'
import type { PositionWrite, ProgressStore, SaveResult } from './progress.ts'

export interface PositionBatchLimits {
  windowMs?: number
  quietMs?: number
  maxBatch?: number
  maxQueue?: number
}

export interface PositionBatcher extends Lifecycle {
  /** A save whose client has gone before its batch begins fails with 503 `overloaded`. */
  save(position: PositionWrite, isAbandoned?: () => boolean): Promise<SaveResult>
}

export function createPositionBatcher(
  progress: Pick<ProgressStore, 'save'>,
  limits: PositionBatchLimits & { measure?: CommitMetrics },
): PositionBatcher {
  const { submit, start, stop } = createGroupCommit<PositionWrite, SaveResult>({
    // The latest position wins by its time, so batches may be written in any order.
    maxConcurrent: 2,
    windowMs: backgroundWindowMs,
    ...limits,
    flush: async positions => (await progress.save(positions)).map(value => ({ ok: true, value })),
  })
  return { save: submit, start, stop }
}

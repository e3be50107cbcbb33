import { useEffect, useState } from 'react'
import { type Cue, findLatestCue } from '../adapters/captions.ts'
import { type PositionSource, usePosition } from './use-position.ts'

/** The last cue that has begun, as its index (-1 before the first), and whether it still holds. */
export function useLatestCue(source: PositionSource, cues: readonly Cue[]): { index: number; isOver: boolean } {
  // One number, so that the screen renders only when it changes: negative for a cue that is over.
  const [code, setCode] = useState(0)
  const codeAt = (position: number) => {
    const index = findLatestCue(cues, position)
    return index >= 0 && position >= cues[index]!.end ? -(index + 1) : index + 1
  }
  usePosition({ ...source, isMoving: source.isMoving && cues.length > 0 }, position => setCode(codeAt(position)))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the position is read, not followed
  useEffect(() => setCode(codeAt(source.clock.get().position)), [cues])
  return { index: Math.abs(code) - 1, isOver: code < 0 }
}

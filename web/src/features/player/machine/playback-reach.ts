import { conditionsOf, passingPercentOf } from '@watchline/contracts/conditions'
import type { PlaylistWatch } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { changeState, type Draft } from './playback-draft.ts'
import { currentVideo } from './playback-state.ts'
import type { Reach, RefusalKind, SessionState } from './playback-types.ts'

/*
 * A task without skipping ahead is played in order. The server decides what is credited; the player
 * keeps people from playing what would not be.
 */

const refusalMs = 8_000

export function forbidsSkipping({ playlist, reach }: SessionState): boolean {
  return reach !== undefined || !conditionsOf(playlist.conditions).allow_skipping
}

/** Undefined if everything may be played. */
export function readReach({ videos, required_percent }: PlaylistWatch): Reach | undefined {
  if (videos.every(({ reach }) => reach === undefined)) return undefined
  return {
    until: Object.fromEntries(videos.map(({ video_id, reach }) => [video_id, reach?.until ?? 0])),
    credited: Object.fromEntries(videos.map(({ video_id, watched }) => [video_id, watched])),
    passed: videos.flatMap(({ video_id, reach }) => (reach?.passed ? [video_id] : [])),
    passingPercent: passingPercentOf(required_percent),
  }
}

/** The furthest position of a video; infinite if everything may be played. */
export function furthestOf({ playlist, index: current, reach, playback }: SessionState, index: number): number {
  if (!reach) return Number.POSITIVE_INFINITY
  return index === current ? playback.furthest : (reach.until[playlist.videos[index]!.id] ?? 0)
}

/** How far the present video may be played once it is played up to this position. */
export function extendReach({ reach, playlist, index }: SessionState, position: number): number {
  const credited = reach?.credited[playlist.videos[index]!.id] ?? []
  return credited.reduce(
    (end, [from, to]) => (from <= end + limits.jointToleranceS ? Math.max(end, to) : end),
    position,
  )
}

/** Whether a position of the present video skips something. */
export function isAhead(state: SessionState, position: number): boolean {
  return position > furthestOf(state, state.index) + limits.jointToleranceS
}

/**
 * The index of the first video that must be watched before this one; -1 without one. A video that
 * cannot be played here keeps nobody from the next one, unless the server insists on it.
 */
export function findBlocker(state: SessionState, index: number, insists = false): number {
  if (!state.reach) return -1
  return state.playlist.videos.findIndex(
    ({ id }, at) => at < index && !isPassed(state, at) && (insists || !state.unavailable.includes(id)),
  )
}

export function isPassed(state: SessionState, index: number): boolean {
  const { reach, playlist } = state
  const { id, duration } = playlist.videos[index]!
  if (!reach || reach.passed.includes(id)) return true
  return furthestOf(state, index) >= (duration * reach.passingPercent) / 100
}

/** The nearest place to this one that may be played. */
export function findReachable(state: SessionState, index: number, position: number) {
  const blocker = findBlocker(state, index)
  const reachedIndex = blocker < 0 ? index : blocker
  const furthest = furthestOf(state, reachedIndex)
  return {
    index: reachedIndex,
    position: blocker < 0 ? Math.min(position, furthest) : furthest,
    refusal:
      blocker >= 0
        ? ('video' as const)
        : position > furthest + limits.jointToleranceS
          ? ('position' as const)
          : undefined,
  }
}

/** Says for some seconds why the player does something else. Each attempt gets its own text. */
export function refuse(draft: Draft, kind: RefusalKind): void {
  changeState(draft, { refusal: { kind, number: (draft.state.refusal?.number ?? 0) + 1 } })
  draft.effects.push({ type: 'start-timer', name: 'refusal', ms: refusalMs, repeat: false })
}

/** Call it before another video becomes the present one. */
export function keepFurthest(draft: Draft): void {
  const { reach, playback } = draft.state
  const video = currentVideo(draft.state)
  if (reach && video)
    changeState(draft, { reach: { ...reach, until: { ...reach.until, [video.id]: playback.furthest } } })
}

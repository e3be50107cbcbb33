import { formatPosition } from '../dates/format.ts'
import styles from './watch-strip.module.css'
import { coveredPercent, describeStrip, normaliseRanges, type Range } from './watch-strip-text.ts'

export interface WatchStripProps {
  /** The video's length in seconds. */
  length: number
  /** Credited ranges in seconds, in any order, overlaps allowed. */
  ranges: readonly Range[]
  /** Played ranges that the server has not confirmed yet; drawn lighter. */
  provisional?: readonly Range[] | undefined
  /** The playback position (s). */
  playhead?: number | undefined
  /** Seconds of the video with a comment. */
  ticks?: readonly number[]
  /** The server's percentage, if known; else the share that the ranges cover. */
  percent?: number
  /** The subject of the strip, first in its text alternative: "Fire safety". */
  label?: string
  /** A text alternative of its own, for several videos end to end. */
  words?: string
  size?: 'small' | 'large'
}

/**
 * A bar of a video's length: credited ranges filled, missing ones hollow, the playhead a thin line,
 * comments as ticks.
 */
export function WatchStrip(props: WatchStripProps) {
  const { length, ranges, provisional = [], playhead, ticks = [], percent, label, size = 'small' } = props
  // Truncated, not rounded: a figure of 90 means that the video is complete.
  const shownPercent = Math.floor(percent ?? coveredPercent(ranges, length))
  const isProvisional = provisional.length > 0
  const labelParts = [
    `${label ? `${label}: ` : ''}${describeStrip(ranges, length, shownPercent)}`,
    playhead === undefined ? '' : `at ${formatPosition(playhead)} of ${formatPosition(length)}`,
    isProvisional ? 'the latest part is being confirmed' : '',
    ticks.length === 0 ? '' : `${ticks.length} ${ticks.length === 1 ? 'comment' : 'comments'}`,
  ].filter(Boolean)

  return (
    <div className={styles.strip} data-size={size}>
      <div className={styles.bar} role="img" aria-label={props.words ?? labelParts.join('; ')}>
        <StripTrack length={length} ranges={ranges} provisional={provisional} ticks={ticks} />
        {playhead === undefined ? null : (
          <div className={styles.playhead} style={{ insetInlineStart: insetOf(playhead, length) }} />
        )}
      </div>
      <span className={styles.percent} data-provisional={isProvisional || undefined} aria-hidden="true">
        {shownPercent}%
      </span>
    </div>
  )
}

type StripTrackProps = Required<Pick<WatchStripProps, 'length' | 'ranges' | 'ticks'>> & {
  provisional: readonly Range[]
}

/** The bar alone, without text alternative; the seek bar of the player shows it, too. */
export function StripTrack({ length, ranges, provisional, ticks }: StripTrackProps) {
  const renderRanges = (drawn: readonly Range[], className: string | undefined) =>
    normaliseRanges(drawn, length).map(({ from, to }) => (
      <div
        key={from}
        className={className}
        style={{ insetInlineStart: insetOf(from, length), insetInlineEnd: `calc(100% - ${insetOf(to, length)})` }}
      />
    ))
  return (
    <>
      <div className={styles.track}>
        {renderRanges(provisional, styles.provisional)}
        {renderRanges(ranges, styles.range)}
      </div>
      {[...new Set(ticks)].map(tick => (
        <div key={tick} className={styles.tick} style={{ insetInlineStart: insetOf(tick, length) }} />
      ))}
    </>
  )
}

function insetOf(seconds: number, length: number): string {
  return `${length > 0 ? Math.min(100, Math.max(0, (seconds / length) * 100)) : 0}%`
}

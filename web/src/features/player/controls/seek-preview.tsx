import { type CSSProperties, useEffect, useRef, useState } from 'react'
import classes from './controls.module.css'

interface SeekPreviewProps {
  url: string
  seconds: number
  style: CSSProperties
}

/**
 * A small picture of the video at this second. Its own player loads only what it shows. It stays
 * hidden until its first picture is there, so an unplayable file leaves no empty frame.
 */
export function SeekPreview({ url, seconds, style }: SeekPreviewProps) {
  const video = useRef<HTMLVideoElement>(null)
  const [hasPicture, setHasPicture] = useState(false)
  const targetSecond = useRef(seconds)
  targetSecond.current = seconds

  // One seek at a time: a pointer that moves would otherwise cancel every one before its picture.
  const seek = () => {
    const player = video.current
    if (player?.readyState && !player.seeking && Math.abs(player.currentTime - targetSecond.current) >= 1)
      player.currentTime = targetSecond.current
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: it depends on the target second only
  useEffect(seek, [seconds])

  return (
    <video
      ref={video}
      className={classes.seekPreview}
      style={style}
      src={url}
      data-ready={hasPicture || undefined}
      aria-hidden="true"
      tabIndex={-1}
      preload="metadata"
      muted
      playsInline
      onLoadedMetadata={({ currentTarget }) => {
        currentTarget.currentTime = seconds
      }}
      onSeeked={() => {
        setHasPicture(true)
        seek()
      }}
    />
  )
}

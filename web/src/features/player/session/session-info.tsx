import { Card, Stack, Text, Title } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { ReactNode } from 'react'
import { formatDuration, formatPosition } from '../../../ui/format.ts'
import classes from '../player.module.css'
import type { SessionVideo } from '../session-playlist.ts'
import type { SessionView } from './session-runner.ts'
import { YouTubeNote } from './youtube-note.tsx'

interface SessionInfoProps {
  view: SessionView
  /** The credited share of the playlist. */
  progress: ReactNode
  /** Renders videos of the playlist to choose from. */
  renderVideos: ((videos: readonly ListedVideo[], label: string) => ReactNode) | undefined
  /** The page's heading, or one below it. */
  titleOrder?: 1 | 2
}

/** A video in a list to choose from. */
export interface ListedVideo extends SessionVideo {
  /** The place in the playlist, from 1. */
  number: number
  unavailable: boolean
}

export function SessionInfo({ view, progress, renderVideos, titleOrder = 1 }: SessionInfoProps) {
  const { playlist, index } = view
  const current = playlist.videos[index]
  const videos = playlist.videos.map((video, videoIndex) => ({
    ...video,
    number: videoIndex + 1,
    unavailable: view.unavailable.includes(video.id),
  }))
  const upcoming = videos.slice(index + 1).filter(({ unavailable }) => !unavailable)
  const next = upcoming[0]
  return (
    <Card withBorder padding="md" component="section" aria-label="Playlist">
      <Stack gap="md">
        <div>
          <Title order={titleOrder} size="h3" lineClamp={2} title={playlist.title}>
            {playlist.title}
          </Title>
          <Text c="dimmed" className={classes.figures}>
            {formatDuration(playlist.total_duration)}
          </Text>
        </div>
        {current && <Block label="Now Playing" title={current.title} duration={current.duration} />}
        {next && <Block label="Up Next (Auto-playing)" title={next.title} duration={next.duration} />}
        <Text size="sm" c="dimmed">
          <strong>Auto-Play Enabled</strong>:{' '}
          {next
            ? `the next video starts automatically ${limits.countdownS} seconds after this one.`
            : 'this is the last video.'}
        </Text>
        {progress}
        {upcoming.length > 0 && (
          <div>
            <Title order={2} size="h5" mb="xs">
              Up Next
            </Title>
            {renderVideos?.(upcoming.slice(0, limits.upNextCount), 'Up Next')}
          </div>
        )}
        {videos.length > 1 && (
          <div>
            <Title order={2} size="h5" mb="xs">
              All videos
            </Title>
            {renderVideos?.(videos, 'All videos')}
          </div>
        )}
        {current?.provider === 'youtube' && <YouTubeNote />}
      </Stack>
    </Card>
  )
}

function Block({ label, title, duration }: { label: string; title: string; duration: number }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fw={600} lineClamp={2} title={title}>
        {title}
      </Text>
      <Text size="sm" c="dimmed" className={classes.figures}>
        {formatPosition(duration)}
      </Text>
    </div>
  )
}

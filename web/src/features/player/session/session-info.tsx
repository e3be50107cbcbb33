import { Card, Stack, Text, Title } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { ReactNode } from 'react'
import { formatDuration, formatPosition } from '../../../ui/format.ts'
import classes from '../player.module.css'
import type { SessionView } from './session-runner.ts'

interface SessionInfoProps {
  view: SessionView
  /** The credited share of the playlist. */
  progress: ReactNode
  /** The page's heading, or one below it. */
  titleOrder?: 1 | 2
}

export function SessionInfo({ view, progress, titleOrder = 1 }: SessionInfoProps) {
  const { playlist, index } = view
  const current = playlist.videos[index]
  const upcoming = playlist.videos
    .map((video, videoIndex) => ({ ...video, videoIndex }))
    .filter(video => video.videoIndex > index && !view.unavailable.includes(video.id))
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
            <Title order={2} size="h5">
              Up Next
            </Title>
            <ol className={classes.upNext}>
              {upcoming.slice(0, limits.upNextCount).map(video => (
                <li key={video.videoIndex}>
                  <span className={classes.clipped} title={video.title}>
                    {video.title}
                  </span>
                  <span className={classes.figures}>{formatPosition(video.duration)}</span>
                </li>
              ))}
            </ol>
          </div>
        )}
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

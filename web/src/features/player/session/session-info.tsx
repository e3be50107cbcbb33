import { Card, Stack, Text, Title } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { ReactNode } from 'react'
import { formatDuration, formatPosition } from '../../../ui/dates/format.ts'
import type { SessionVideo } from '../session-playlist.ts'
import type { SessionView } from './session-runner.ts'
import { type RenderVideos, VideoChoice } from './video-choice.tsx'
import { YouTubeNote } from './youtube-note.tsx'

interface SessionInfoProps {
  view: SessionView
  /** The credited share of the playlist. */
  progress: ReactNode
  /** Renders videos of the playlist to choose from. */
  renderVideos: RenderVideos | undefined
  /** The page's heading, or one below it. */
  titleOrder?: 1 | 2
}

/**
 * The present video, the following ones and their credit. Beside the last video it keeps the texts
 * about the next one, so that nothing below them moves.
 */
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
          <Text c="dimmed">Total duration: {formatDuration(playlist.total_duration)}</Text>
        </div>
        {current && <Block label="Now Playing" video={current} />}
        {videos.length > 1 && <Block label="Up Next (Auto-playing)" video={next} />}
        <Text size="sm" c="dimmed">
          <strong>Auto-Play Enabled</strong>:{' '}
          {next
            ? `the next video starts automatically ${limits.countdownS} seconds after this one.`
            : 'this is the last video, so nothing starts automatically after it.'}
        </Text>
        {progress}
        {videos.length > 1 && renderVideos && (
          <VideoChoice upcoming={upcoming} videos={videos} renderVideos={renderVideos} />
        )}
        {current?.provider === 'youtube' && <YouTubeNote />}
      </Stack>
    </Card>
  )
}

function Block({ label, video }: { label: string; video: SessionVideo | undefined }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fw={600} lineClamp={2} title={video?.title}>
        {video?.title ?? 'No further video'}
      </Text>
      <Text size="sm" c="dimmed">
        Length: {video ? formatPosition(video.duration) : '–'}
      </Text>
    </div>
  )
}

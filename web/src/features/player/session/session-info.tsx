import { Card, Progress, Stack, Text, Title } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { formatDuration, formatPosition } from '../../../ui/format.ts'
import type { Subscribable } from '../../../ui/subscribable.ts'
import { useSubscribable } from '../../../ui/use-subscribable.ts'
import { overallProgressAt } from '../controls/overall-progress.ts'
import type { Playback } from '../machine/playback-types.ts'
import classes from '../player.module.css'
import type { SessionView } from './session-runner.ts'

interface SessionInfoProps {
  view: SessionView
  clock: Subscribable<Playback>
  /** The page's heading, or one below it. */
  titleOrder?: 1 | 2
}

export function SessionInfo({ view, clock, titleOrder = 1 }: SessionInfoProps) {
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
        <OverallProgress view={view} clock={clock} />
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

function OverallProgress({ view, clock }: SessionInfoProps) {
  const percent = useSubscribable(clock, ({ position }) => overallProgressAt(view, position).percent)
  const minutes = useSubscribable(clock, ({ position }) => overallProgressAt(view, position).watchedMinutes)
  const { totalMinutes } = overallProgressAt(view, 0)
  return (
    <div>
      <Text size="sm" fw={600} id="overall-progress">
        Overall Progress
      </Text>
      <Progress.Root size="md" mt={4}>
        <Progress.Section value={percent} aria-labelledby="overall-progress" />
      </Progress.Root>
      <Text size="sm" c="dimmed" className={classes.figures}>
        {percent}% complete · {minutes} of {totalMinutes} minutes watched
      </Text>
    </div>
  )
}

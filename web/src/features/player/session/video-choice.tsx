import { Button, Group, Text, Title } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { type ReactNode, useState } from 'react'
import classes from '../player.module.css'
import type { SessionVideo } from '../session-playlist.ts'

/** A video in a list to choose from. */
export interface ListedVideo extends SessionVideo {
  /** The place in the playlist, from 1. */
  number: number
  unavailable: boolean
}

export type RenderVideos = (videos: readonly ListedVideo[], label: string) => ReactNode

interface VideoChoiceProps {
  upcoming: readonly ListedVideo[]
  videos: readonly ListedVideo[]
  renderVideos: RenderVideos
}

/** One list to choose from: the next videos or, on request, all of them. */
export function VideoChoice({ upcoming, videos, renderVideos }: VideoChoiceProps) {
  const [showsAll, setShowsAll] = useState(false)
  const label = showsAll ? 'All videos' : 'Up Next'
  const listed = showsAll ? videos : upcoming.slice(0, limits.upNextCount)
  return (
    <div>
      <Group justify="space-between" wrap="nowrap" gap="xs" mb={4}>
        <Title order={2} size="h5">
          {label}
        </Title>
        <Button variant="subtle" size="compact-sm" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Show what is next' : `Show all ${videos.length} videos`}
        </Button>
      </Group>
      <div className={classes.choice} data-rows={Math.min(limits.upNextCount, videos.length - 1)}>
        {listed.length > 0 ? (
          renderVideos(listed, label)
        ) : (
          <Text size="sm" c="dimmed">
            No videos follow. You can choose an earlier one from all videos.
          </Text>
        )}
      </div>
    </div>
  )
}

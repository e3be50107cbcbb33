import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { type PosterVideo, VideoPoster } from '../../../ui/progress/video-poster.tsx'
import classes from '../player.module.css'

interface PanelProps {
  title: string
  /** Its picture stands behind the words. */
  poster?: PosterVideo | undefined
  action?: ReactNode
  children?: ReactNode
}

/** Words and buttons in place of the picture. */
export function Panel({ title, poster, action, children }: PanelProps) {
  return (
    <Stack
      className={classes.panel}
      align="center"
      gap="sm"
      role="group"
      aria-label={title}
      // On a phone the panel scrolls. Without a button it must get the keyboard focus itself.
      tabIndex={action ? undefined : 0}
    >
      {poster && (
        <div className={classes.panelPoster}>
          <VideoPoster key={poster.id} video={poster} size="large" />
        </div>
      )}
      <Title order={2} size="h3" c="inherit">
        {title}
      </Title>
      {children && (
        <Text component="div" c="inherit" className={classes.panelText}>
          {children}
        </Text>
      )}
      {action && <div className={classes.panelActions}>{action}</div>}
    </Stack>
  )
}

import { Button, Loader, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { type PosterVideo, VideoPoster } from '../../../ui/video-poster.tsx'
import { nextIndex } from '../machine/playback-state.ts'
import classes from '../player.module.css'
import type { SessionRunner, SessionView } from '../session/session-runner.ts'

interface StagePanelProps {
  view: SessionView
  runner: SessionRunner | undefined
  onBack: () => void
}

const panelPhases = new Set(['checking', 'countdown', 'elsewhere', 'refused', 'unassigned', 'unplayable', 'completed'])

/** The video does not load: there is no picture, and the load is repeated. */
function isUnreachable({ phase, note, cued }: SessionView): boolean {
  return note === 'unreachable' && !cued && (phase === 'starting' || phase === 'paused')
}

/**
 * Whether a panel replaces the picture. It never covers a picture, because YouTube forbids that.
 */
export function replacesPicture(view: SessionView): boolean {
  return panelPhases.has(view.phase) || isUnreachable(view)
}

export function StagePanel({ view, runner, onBack }: StagePanelProps) {
  if (isUnreachable(view)) return <Unreachable view={view} runner={runner} />
  switch (view.phase) {
    case 'checking':
      return <Panel title="Checking for previous session...">Your progress will be restored if available</Panel>
    case 'countdown':
      return <Countdown view={view} runner={runner} />
    case 'elsewhere':
      return (
        <Panel
          title="You are watching this elsewhere"
          action={<Button onClick={() => runner?.send({ type: 'continue-here' })}>Continue here</Button>}
        >
          Another of your devices or browser windows is playing, so this one has paused. Your progress is safe.
        </Panel>
      )
    case 'refused':
      return (
        <Panel
          title="This session cannot continue"
          action={
            <>
              <Button onClick={() => runner?.send({ type: 'try-again' })}>Try Again</Button>
              <Button variant="default" onClick={onBack}>
                Back to Dashboard
              </Button>
            </>
          }
        >
          {view.reason} What you have watched so far is kept.
        </Panel>
      )
    case 'unassigned':
      return (
        <Panel title="This task is no longer assigned" action={<Button onClick={onBack}>Back to Dashboard</Button>}>
          The assignment was withdrawn or the playlist was deleted. What you have watched so far is kept.
        </Panel>
      )
    case 'unplayable':
      return (
        <Panel title="None of these videos can be played" action={<Button onClick={onBack}>Back to Dashboard</Button>}>
          Your supervisor can replace them. {view.reason}
        </Panel>
      )
    case 'completed':
      return <Panel title="End of the playlist" />
    default:
      return null
  }
}

/** The line under the picture says what happens; here are the title and what the viewer can do. */
function Unreachable({ view, runner }: Omit<StagePanelProps, 'onBack'>) {
  const video = view.playlist.videos[view.index]
  return (
    <Panel
      title={video?.title ?? ''}
      poster={video}
      action={
        <>
          <Button onClick={() => runner?.retryLoad()}>Try Again</Button>
          {nextIndex(view) >= 0 && (
            <Button variant="default" onClick={() => runner?.send({ type: 'skip' })}>
              Skip this video
            </Button>
          )}
        </>
      }
    >
      <span className={classes.panelWait}>
        <Loader size="sm" aria-hidden="true" /> Loading…
      </span>
    </Panel>
  )
}

function Countdown({ view, runner }: Omit<StagePanelProps, 'onBack'>) {
  const index = nextIndex(view)
  const next = view.playlist.videos[index]
  return (
    <Panel
      title="Next Video Starting..."
      poster={next}
      action={
        <>
          <Button onClick={() => runner?.send({ type: 'skip' })}>Play now</Button>
          <Button variant="default" onClick={() => runner?.send({ type: 'suspend' })}>
            Cancel
          </Button>
        </>
      }
    >
      <span className={classes.nextTitle}>{next?.title}</span>
      <span>
        Video {index + 1} of {view.playlist.videos.length}
      </span>
      <span className={classes.countdown} aria-hidden="true">
        {view.countdown}
      </span>
    </Panel>
  )
}

interface PanelProps {
  title: string
  /** Its picture stands behind the words. */
  poster?: PosterVideo | undefined
  action?: ReactNode
  children?: ReactNode
}

function Panel({ title, poster, action, children }: PanelProps) {
  return (
    <Stack
      className={classes.panel}
      align="center"
      justify="center"
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

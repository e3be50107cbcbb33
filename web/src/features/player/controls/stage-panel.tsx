import { Button } from '@mantine/core'
import { nextIndex } from '../machine/playback-state.ts'
import type { Phase } from '../machine/playback-types.ts'
import classes from '../player.module.css'
import type { SessionRunner, SessionView } from '../session/session-runner.ts'
import type { SessionPerson } from '../session-playlist.ts'
import { AskSupervisor } from './ask-supervisor.tsx'
import { Panel } from './panel.tsx'
import { UnreachablePanel } from './unreachable-panel.tsx'

interface StagePanelProps {
  view: SessionView
  runner: SessionRunner | undefined
  person: SessionPerson
  onBack: () => void
  backLabel: string
  onReload: () => void
}

const panelPhases: ReadonlySet<Phase> = new Set<Phase>([
  'checking',
  'countdown',
  'elsewhere',
  'playlist-changed',
  'refused',
  'unassigned',
  'unplayable',
  'completed',
])

/** The video does not load: there is no picture, and the load is repeated. */
export function isUnreachable({ phase, note, cued }: SessionView): boolean {
  return (note === 'unreachable' || note === 'failing') && !cued && (phase === 'starting' || phase === 'paused')
}

/**
 * Whether a panel replaces the picture. It never covers a picture, because YouTube forbids that.
 */
export function replacesPicture(view: SessionView): boolean {
  return panelPhases.has(view.phase) || isUnreachable(view)
}

export function StagePanel(props: StagePanelProps) {
  const { view, runner, onBack, backLabel } = props
  if (isUnreachable(view)) return <UnreachablePanel {...props} />
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
                {backLabel}
              </Button>
            </>
          }
        >
          {view.reason} What you have watched so far is kept.
        </Panel>
      )
    case 'playlist-changed':
      return (
        <Panel title="This playlist has changed" action={<Button onClick={props.onReload}>Load again</Button>}>
          Load it again to go on. What you have watched so far is kept.
        </Panel>
      )
    case 'unassigned':
      return (
        <Panel title="This task is no longer assigned" action={<Button onClick={onBack}>{backLabel}</Button>}>
          The assignment was withdrawn or the playlist was deleted. What you have watched so far is kept.
        </Panel>
      )
    case 'unplayable':
      return <Unplayable {...props} />
    case 'completed':
      return <Panel title="End of the playlist" />
    default:
      return null
  }
}

/** No video can be played, or, without skipping ahead, one before the others cannot. */
function Unplayable({ view, person, onBack, backLabel }: Omit<StagePanelProps, 'runner' | 'onReload'>) {
  const { title, videos } = view.playlist
  const isNone = videos.every(({ id }) => view.unavailable.includes(id))
  const problem = isNone ? `None of the videos of “${title}” can be played.` : `A video of “${title}” cannot be played.`
  return (
    <Panel
      title={isNone ? 'None of these videos can be played' : 'A video cannot be played'}
      action={
        <>
          <Button onClick={onBack}>{backLabel}</Button>
          <AskSupervisor person={person} problem={problem} />
        </>
      }
    >
      {isNone
        ? 'Your supervisor can replace them.'
        : 'Skipping ahead is off for this task, so the videos after it must wait. Your supervisor can replace it.'}{' '}
      {view.reason}
    </Panel>
  )
}

function Countdown({ view, runner }: Pick<StagePanelProps, 'view' | 'runner'>) {
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

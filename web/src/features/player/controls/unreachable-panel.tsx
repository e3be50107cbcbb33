import { Button, Loader } from '@mantine/core'
import { createSubscribable } from '../../../ui/hooks/subscribable.ts'
import { useSubscribable } from '../../../ui/hooks/use-subscribable.ts'
import { nextIndex } from '../machine/playback-state.ts'
import classes from '../player.module.css'
import type { SessionRunner, SessionView } from '../session/session-runner.ts'
import type { SessionPerson } from '../session-playlist.ts'
import { AskSupervisor } from './ask-supervisor.tsx'
import { Panel } from './panel.tsx'
import { useSecondsUntil } from './use-seconds-until.ts'

interface UnreachablePanelProps {
  view: SessionView
  runner: SessionRunner | undefined
  person: SessionPerson
  onBack: () => void
  backLabel: string
}

const noRetry = createSubscribable(0)

/** A video does not load: until when it is tried again, and what the viewer can do. */
export function UnreachablePanel({ view, runner, person, onBack, backLabel }: UnreachablePanelProps) {
  const seconds = useSecondsUntil(useSubscribable(runner?.retryAt ?? noRetry))
  const video = view.playlist.videos[view.index]
  const hasNext = nextIndex(view) >= 0
  const maySkip = hasNext && (!view.reach || (video !== undefined && view.reach.passed.includes(video.id)))
  return (
    <Panel
      title={video?.title ?? ''}
      poster={video}
      action={
        <>
          <Button onClick={() => runner?.retryLoad()}>Try Again</Button>
          {maySkip ? (
            <Button variant="default" onClick={() => runner?.send({ type: 'skip' })}>
              Skip this video
            </Button>
          ) : (
            <Button variant="default" onClick={onBack}>
              {backLabel}
            </Button>
          )}
          <AskSupervisor
            person={person}
            problem={`The video “${video?.title}” of “${view.playlist.title}” does not load for me.`}
          />
        </>
      }
    >
      <span className={classes.panelWait}>
        <Loader size="sm" aria-hidden="true" />
        {seconds > 0 ? `Next try in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}` : 'Loading…'}
      </span>
      <span>{outlook(view.note === 'failing', hasNext)}</span>
    </Panel>
  )
}

function outlook(isLastTry: boolean, hasNext: boolean): string {
  if (!isLastTry)
    return 'The page tries again at least every 40 seconds, and the video goes on as soon as it can be reached.'
  return hasNext
    ? 'If this try fails, too, the video is left out and the next one starts.'
    : 'If this try fails, too, the video is left out and the session ends.'
}

import { type ReactNode, useRef } from 'react'
import { formatPosition } from '../../../ui/format.ts'
import type { Subscribable } from '../../../ui/subscribable.ts'
import type { Captions } from '../adapters/captions.ts'
import { isSeekable } from '../machine/playback-state.ts'
import type { Playback } from '../machine/playback-types.ts'
import type { SessionRunner, SessionView } from '../session/session-runner.ts'
import { CaptionControls } from './caption-controls.tsx'
import { Control } from './control.tsx'
import classes from './controls.module.css'
import {
  BackIcon,
  HelpIcon,
  MutedIcon,
  NextIcon,
  PauseIcon,
  PlayIcon,
  ShrinkIcon,
  SoundIcon,
  TheatreIcon,
} from './player-icons.tsx'
import type { PlayerSettings } from './player-settings.ts'
import { SeekBar } from './seek-bar.tsx'
import { type PlayerActions, type ShortcutName, shortcuts } from './shortcuts.ts'
import { SpeedSelect } from './speed-select.tsx'
import { type PositionSource, usePosition } from './use-position.ts'

interface ControlBarProps {
  view: SessionView
  clock: Subscribable<Playback>
  runner: SessionRunner | undefined
  commentBadge: ReactNode
  /** The watch strip of the video, inside the seek bar. */
  strip: ReactNode
  inTheatre: boolean
  actions: PlayerActions
  settings: PlayerSettings
  setVolume: (volume: number) => void
  setLanguage: (language: string | undefined) => void
  setRate: (rate: number) => void
  captions: Captions
  /** The fastest playback that is credited. */
  maxRate: number
  /** Under the picture, because YouTube forbids covering its player; else over its bottom. */
  docked: boolean
}

export function ControlBar(props: ControlBarProps) {
  const { view, clock, runner, commentBadge, strip, inTheatre, actions, settings, docked } = props
  const active = isSeekable(view)
  const isPlaying = active && view.intent === 'play' && view.phase !== 'blocked'
  const hasNext = view.playlist.videos.some(
    (video, index) => index > view.index && !view.unavailable.includes(video.id),
  )
  // After a seek the player may still report its old position.
  const source = { clock, runner, isMoving: view.phase === 'playing' && view.settling === undefined }
  const isSilent = settings.muted || settings.volume === 0
  const keyOf = (name: ShortcutName) => (settings.shortcuts ? shortcuts[name].shown : undefined)
  return (
    <div className={docked ? classes.barDocked : classes.barOver}>
      <SeekBar source={source} disabled={!active} strip={strip} onSeek={to => runner?.send({ type: 'seek', to })} />
      <div className={classes.controls}>
        <Control
          label={isPlaying ? 'Pause' : 'Play'}
          shortcut={keyOf('toggle')}
          disabled={!active}
          onClick={actions.toggle}
        >
          {isPlaying ? <PauseIcon /> : <PlayIcon />}
        </Control>
        <Control
          label="Back 10 seconds"
          shortcut={keyOf('back10')}
          disabled={!active}
          onClick={() => actions.seekBy(-10)}
        >
          <BackIcon />
        </Control>
        <span className={classes.wide}>
          <Control
            label={isSilent ? 'Turn the sound on' : 'Turn the sound off'}
            shortcut={keyOf('mute')}
            onClick={actions.toggleMute}
          >
            {isSilent ? <MutedIcon /> : <SoundIcon />}
          </Control>
          <input
            type="range"
            className={classes.volume}
            aria-label="Volume"
            aria-valuetext={isSilent ? 'off' : `${Math.round(settings.volume * 100)}%`}
            min={0}
            max={1}
            step={0.05}
            value={settings.muted ? 0 : settings.volume}
            onChange={event => props.setVolume(Number(event.currentTarget.value))}
          />
        </span>
        <ClockLabel source={source} />
        <span className={classes.spacer} />
        {commentBadge}
        <span className={classes.badge}>
          <span className="wl-hidden">Video </span>
          {view.index + 1} / {view.playlist.videos.length}
        </span>
        <Control
          label="Skip to next video"
          shortcut={keyOf('skip')}
          disabled={!hasNext || (!active && view.phase !== 'countdown')}
          onClick={actions.skip}
        >
          <NextIcon />
        </Control>
        <CaptionControls
          captions={props.captions}
          settings={settings}
          actions={actions}
          setLanguage={props.setLanguage}
          keyOf={keyOf}
        />
        <SpeedSelect rate={settings.rate} maxRate={props.maxRate} onChange={props.setRate} />
        <span className={classes.wide}>
          <Control
            label={inTheatre ? 'Leave theatre view' : 'Theatre view'}
            shortcut={keyOf('theatre')}
            onClick={actions.toggleTheatre}
          >
            {inTheatre ? <ShrinkIcon /> : <TheatreIcon />}
          </Control>
          <Control label="Keyboard shortcuts" shortcut={keyOf('help')} onClick={actions.showHelp}>
            <HelpIcon />
          </Control>
        </span>
      </div>
    </div>
  )
}

function ClockLabel({ source }: { source: PositionSource }) {
  const label = useRef<HTMLSpanElement>(null)
  usePosition(source, (position, duration) => {
    const text = `${formatPosition(position)} / ${formatPosition(duration)}`
    if (label.current && label.current.textContent !== text) label.current.textContent = text
  })
  return <span ref={label} className={classes.time} />
}

import type { Captions } from '../adapters/captions.ts'
import { CaptionControls } from './caption-controls.tsx'
import { Control } from './control.tsx'
import classes from './controls.module.css'
import { BackIcon, ForwardIcon, HelpIcon, MutedIcon, ShrinkIcon, SoundIcon, TheatreIcon } from './player-icons.tsx'
import type { PlayerSettings } from './player-settings.ts'
import { type PlayerActions, type ShortcutName, shortcuts } from './shortcuts.ts'
import { SpeedSelect } from './speed-select.tsx'

export interface MoreControlsProps {
  /** A position of the video can be chosen. */
  isSeekable: boolean
  inTheatre: boolean
  actions: PlayerActions
  settings: PlayerSettings
  setVolume: (volume: number) => void
  setLanguage: (language: string | undefined) => void
  setRate: (rate: number) => void
  captions: Captions
  /** The fastest playback that is credited. */
  maxRate: number
  /** The speed of the video, which may differ from the chosen one. */
  playedRate: number
}

/**
 * The controls beside those of the control bar. On a small picture of a phone they have a row of
 * their own below it.
 */
export function MoreControls(props: MoreControlsProps) {
  return (
    <section aria-label="More controls" className={`${classes.barDocked} ${classes.controls}`}>
      <StepControls {...props} />
      <SoundControls {...props} />
      <span className={classes.spacer} />
      <ViewControls {...props} />
    </section>
  )
}

/** The key of a shortcut for its tooltip, unless the person has turned the keys off. */
export const nameKeys = (settings: PlayerSettings) => (name: ShortcutName) =>
  settings.shortcuts ? shortcuts[name].shown : undefined

export function StepControls({ isSeekable, actions, settings }: MoreControlsProps) {
  const keyOf = nameKeys(settings)
  return (
    <>
      <Control
        label="Back 10 seconds"
        shortcut={keyOf('back10')}
        disabled={!isSeekable}
        onClick={() => actions.seekBy(-10)}
      >
        <BackIcon />
      </Control>
      <Control
        label="Forward 10 seconds"
        shortcut={keyOf('forward10')}
        disabled={!isSeekable}
        onClick={() => actions.seekBy(10)}
      >
        <ForwardIcon />
      </Control>
    </>
  )
}

export function SoundControls({ actions, settings, setVolume }: MoreControlsProps) {
  const isSilent = settings.muted || settings.volume === 0
  return (
    <span className={classes.sound}>
      <Control
        label={isSilent ? 'Turn the sound on' : 'Turn the sound off'}
        shortcut={nameKeys(settings)('mute')}
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
        onChange={event => setVolume(Number(event.currentTarget.value))}
      />
    </span>
  )
}

export function ViewControls(props: MoreControlsProps) {
  const { inTheatre, actions, settings, captions, maxRate, playedRate, setLanguage, setRate } = props
  const keyOf = nameKeys(settings)
  return (
    <>
      <CaptionControls
        captions={captions}
        settings={settings}
        actions={actions}
        setLanguage={setLanguage}
        keyOf={keyOf}
      />
      <SpeedSelect rate={playedRate} maxRate={maxRate} onChange={setRate} />
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
    </>
  )
}

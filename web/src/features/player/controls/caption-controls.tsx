import { type Captions, nameLanguage } from '../adapters/captions.ts'
import { Control, nameWithKey } from './control.tsx'
import classes from './controls.module.css'
import { CaptionsIcon, DescriptionsIcon } from './player-icons.tsx'
import type { PlayerSettings } from './player-settings.ts'
import type { PlayerActions, ShortcutName } from './shortcuts.ts'

interface CaptionControlsProps {
  captions: Captions
  settings: PlayerSettings
  actions: PlayerActions
  setLanguage: (language: string | undefined) => void
  keyOf: (name: ShortcutName) => string | undefined
}

/**
 * Captions on or off or, if there are several, their language; audio descriptions as text if the
 * video has them.
 */
export function CaptionControls({ captions, settings, actions, setLanguage, keyOf }: CaptionControlsProps) {
  const { available, languages, language, descriptions } = captions
  return (
    <>
      {languages.length > 1 ? (
        // A native list lies above YouTube's player without covering it in the page.
        <span
          className={`${classes.control} ${classes.choice}`}
          title={nameWithKey('Captions', keyOf('captions'))}
          data-on={settings.captions || undefined}
        >
          <CaptionsIcon />
          <select
            aria-label="Captions"
            value={settings.captions && language ? language : ''}
            onChange={event => setLanguage(event.currentTarget.value || undefined)}
          >
            <option value="">Off</option>
            {languages.map(tag => (
              <option key={tag} value={tag} lang={tag}>
                {nameLanguage(tag)}
              </option>
            ))}
          </select>
        </span>
      ) : (
        <Control
          label={available ? 'Captions' : 'This video has no captions'}
          shortcut={available ? keyOf('captions') : undefined}
          pressed={available && settings.captions}
          disabled={!available}
          onClick={actions.toggleCaptions}
        >
          <CaptionsIcon />
        </Control>
      )}
      {descriptions.length > 0 && (
        <Control
          label="Audio descriptions as text"
          shortcut={keyOf('descriptions')}
          pressed={settings.descriptions}
          onClick={actions.toggleDescriptions}
        >
          <DescriptionsIcon />
        </Control>
      )}
    </>
  )
}

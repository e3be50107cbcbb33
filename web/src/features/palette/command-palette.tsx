import { Modal, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { isComposing } from '../../ui/controls/is-composing.ts'
import { formatCount } from '../../ui/dates/format.ts'
import { useFocusReturn } from '../../ui/hooks/use-focus-return.ts'
import styles from './palette.module.css'
import type { PaletteEntry, PaletteSection } from './palette-entries.ts'

interface CommandPaletteProps {
  opened: boolean
  onClose: () => void
  search: string
  onSearch: (search: string) => void
  sections: readonly PaletteSection[]
  /** Results of a search are still under way. */
  isLoading: boolean
  /** The results that could not be loaded. */
  failure: string | undefined
}

/**
 * A search field above a list of results: an ARIA combobox. The focus stays in the field; the arrow
 * keys, Home and End choose a row, and Enter runs it.
 */
export function CommandPalette({ opened, onClose, ...props }: CommandPaletteProps) {
  useFocusReturn(opened)
  const chosen = useRef<PaletteEntry>(undefined)

  function choose(entry: PaletteEntry) {
    chosen.current = entry
    onClose()
  }

  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Search and commands"
      yOffset="10vh"
      padding="sm"
      returnFocus={false}
      data-closing={opened ? undefined : true}
      // A row may open a panel that takes the focus, so the row runs after the focus has returned.
      onExitTransitionEnd={() => {
        const entry = chosen.current
        chosen.current = undefined
        entry?.run()
      }}
    >
      <Results {...props} onChoose={choose} />
    </Modal>
  )
}

type ResultsProps = Omit<CommandPaletteProps, 'opened' | 'onClose'> & { onChoose: (entry: PaletteEntry) => void }

function Results({ search, onSearch, sections, isLoading, failure, onChoose }: ResultsProps) {
  const listId = useId()
  const [activeId, setActiveId] = useState<string>()
  const entries = sections.flatMap(section => section.entries)
  // A search that removes the active row makes the first one active.
  const activeIndex = Math.max(
    0,
    entries.findIndex(({ id }) => id === activeId),
  )
  const active = entries[activeIndex]
  const optionId = (id: string) => `${listId}-${id}`
  const activeOption = active && optionId(active.id)

  useEffect(() => {
    if (activeOption) document.getElementById(activeOption)?.scrollIntoView?.({ block: 'nearest' })
  }, [activeOption])

  function moveTo(index: number) {
    setActiveId(entries[(index + entries.length) % entries.length]?.id)
  }

  function obeyKey(event: KeyboardEvent) {
    if (isComposing(event.nativeEvent) || entries.length === 0) return
    const moves: Record<string, number> = {
      ArrowDown: activeIndex + 1,
      ArrowUp: activeIndex - 1,
      ...(search === '' && { Home: 0, End: entries.length - 1 }),
    }
    const index = moves[event.key]
    if (index !== undefined) moveTo(index)
    else if (event.key === 'Enter' && active) onChoose(active)
    else return
    event.preventDefault()
  }

  return (
    <div className={styles.palette}>
      <TextInput
        role="combobox"
        aria-label="Search people, playlists, screens and actions"
        aria-expanded={entries.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={activeOption}
        autoComplete="off"
        spellCheck={false}
        placeholder="Type a name, a playlist or a screen"
        maxLength={limits.nameMaxLength}
        data-autofocus
        value={search}
        onChange={event => {
          setActiveId(undefined)
          onSearch(event.currentTarget.value)
        }}
        onKeyDown={obeyKey}
      />
      <p role="status" className={entries.length > 0 ? 'wl-hidden' : styles.empty}>
        {isLoading ? 'Searching…' : entries.length > 0 ? formatCount(entries.length, 'result') : 'Nothing found.'}
      </p>
      {failure ? <p className={styles.empty}>{failure}</p> : null}
      <div id={listId} role="listbox" aria-label="Results" className={styles.list}>
        {sections.map(({ title, entries: sectionEntries }) =>
          sectionEntries.length === 0 ? null : (
            // biome-ignore lint/a11y/useSemanticElements: a group of options, not of form fields
            <div key={title} role="group" aria-label={title}>
              <div className={styles.title} aria-hidden="true">
                {title}
              </div>
              {sectionEntries.map(entry => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and obeys keys
                // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant points at it
                <div
                  key={entry.id}
                  id={optionId(entry.id)}
                  role="option"
                  aria-selected={entry === active}
                  className={styles.option}
                  onMouseMove={() => setActiveId(entry.id)}
                  onClick={() => onChoose(entry)}
                >
                  <span className={styles.label} title={entry.label}>
                    {entry.label}
                  </span>
                  {entry.detail ? <span className={styles.detail}>{entry.detail}</span> : null}
                </div>
              ))}
            </div>
          ),
        )}
      </div>
    </div>
  )
}

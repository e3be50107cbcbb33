import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { Person } from '../api/signed-in-person.ts'
import { sessionAddressOf } from '../features/launch/session-address.ts'
import { IconButton } from '../ui/controls/icon-button.tsx'
import { isComposing } from '../ui/controls/is-composing.ts'
import { loadable } from '../ui/feedback/loadable.tsx'
import { closeMenus } from '../ui/frame/frame-commands.ts'

const PersonPalette = loadable(() => import('./person-palette.tsx').then(module => module.PersonPalette))

interface PaletteButtonProps {
  person: Person
  onSignOut: () => void
}

/**
 * Opens the command palette by a button of the header, or by Ctrl+K (⌘K). In a monitored session it
 * is off: the session leaves only by its own controls, and its screen has keys of its own.
 */
export function PaletteButton({ person, onSignOut }: PaletteButtonProps) {
  const [params] = useSearchParams()
  const [isOpen, setOpen] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)
  const isOff = sessionAddressOf(params) !== undefined

  function open() {
    closeMenus.send()
    setWasOpened(true)
    setOpen(true)
  }

  useEffect(() => {
    if (isOff) return
    const openByKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      if (event.key.toLowerCase() !== 'k' || isComposing(event)) return
      // The browser would move the focus to its address bar.
      event.preventDefault()
      // Another dialog keeps the focus, and its form its draft.
      if (document.querySelector('[role="dialog"][aria-modal="true"]')) return
      closeMenus.send()
      setWasOpened(true)
      setOpen(true)
    }
    document.addEventListener('keydown', openByKey)
    return () => document.removeEventListener('keydown', openByKey)
  }, [isOff])

  if (isOff) return null
  return (
    <>
      <IconButton
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-keyshortcuts="Control+K Meta+K"
        title="Search (Ctrl+K or ⌘K)"
        onClick={open}
      >
        <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
          <g fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round">
            <circle cx="10.5" cy="10.5" r="6" />
            <path d="M15 15l5 5" />
          </g>
        </svg>
        <span className="wl-hidden">Search and commands</span>
      </IconButton>
      {wasOpened ? (
        <PersonPalette person={person} opened={isOpen} onClose={() => setOpen(false)} onSignOut={onSignOut} />
      ) : null}
    </>
  )
}

import { useMediaQuery } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import { type KeyboardEvent, useEffect, useEffectEvent, useRef } from 'react'
import { createPortal } from 'react-dom'
import styles from '../chat.module.css'
import { useChat } from '../chat-context.ts'
import { ChatWindowFrame } from '../window/chat-window.tsx'
import { arrangedFor } from './chat-windows.ts'
import type { ChatWindowsInUse } from './use-chat-windows.ts'
import { WindowTab } from './window-tab.tsx'

interface ChatDockProps {
  windows: ChatWindowsInUse
  /** To the list of rooms, from the one window of a phone. */
  onList: () => void
  /** The keyboard was in a window that is gone, and no other is there. */
  onEmpty: () => void
}

/** The windows side by side at the bottom right, the rest as tabs; on a phone the one used last, over everything. */
export function ChatDock({ windows, onList, onEmpty }: ChatDockProps) {
  const { onPhone } = useChat()
  const dock = useRef<HTMLElement>(null)
  const { open, tabs } = arrangedFor(windows.all, useRoomForWindows(onPhone))
  const shownTabs = onPhone ? [] : tabs

  const goTo = useEffectEvent((wanted: readonly string[]) => {
    if (wanted.length === 0 && windows.all.length > 0) return
    const found = wanted.map(id => document.getElementById(id)).find(element => element !== null)
    if (found) found.focus()
    else onEmpty()
  })
  const begun = useRef(windows.wanted)
  useEffect(() => {
    if (windows.wanted !== begun.current) goTo(windows.wanted)
  }, [windows.wanted])

  if (open.length + shownTabs.length === 0) return null
  return createPortal(
    <section
      ref={dock}
      aria-label="Chat windows"
      className={styles.dock}
      data-chat-dock
      onKeyDown={event => goAround(event, dock.current)}
    >
      {shownTabs.length > 0 ? (
        <ul className={styles.tabs} aria-label="Minimised chats">
          {shownTabs.map(each => (
            <WindowTab
              key={each.roomId}
              window={each}
              onRestore={() => windows.restore(each.roomId)}
              onClose={() => windows.close(each.roomId)}
            />
          ))}
        </ul>
      ) : null}
      {open.map(each => (
        <ChatWindowFrame
          key={each.roomId}
          window={each}
          onUse={() => windows.use(each.roomId)}
          onMinimise={() => windows.minimise(each.roomId)}
          onClose={() => windows.close(each.roomId)}
          onList={() => {
            windows.minimise(each.roomId)
            onList()
          }}
        />
      ))}
    </section>,
    document.body,
  )
}

/** How many windows the screen has room for, with the tabs beside them. */
function useRoomForWindows(onPhone: boolean): number {
  const two = useMediaQuery('(min-width: 900px)', true, { getInitialValueInEffect: false })
  const all = useMediaQuery('(min-width: 1240px)', true, { getInitialValueInEffect: false })
  if (onPhone || !two) return 1
  return all ? limits.chatWindows : 2
}

/** F6 goes from window to window and tab to tab, with Shift the other way round. */
function goAround(event: KeyboardEvent, dock: HTMLElement | null): void {
  if (event.key !== 'F6' || !dock) return
  event.preventDefault()
  const stops = [...dock.querySelectorAll<HTMLElement>('[data-chat-stop]')]
  const parts = stops.map(stop => stop.closest('[data-chat-part]') ?? stop)
  const here = parts.findIndex(part => part.contains(event.target as Node))
  stops.at((here + (event.shiftKey ? -1 : 1)) % stops.length)?.focus()
}

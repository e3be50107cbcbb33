import { useMediaQuery } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import { type KeyboardEvent, useEffect, useEffectEvent, useRef } from 'react'
import { createPortal } from 'react-dom'
import { useChat } from '../chat-context.ts'
import { ChatWindowFrame } from '../window/chat-window.tsx'
import { arrangeWindows } from './chat-windows.ts'
import styles from './dock.module.css'
import type { ChatWindowsState } from './use-chat-windows.ts'
import { WindowTab } from './window-tab.tsx'

interface ChatDockProps {
  windows: ChatWindowsState
  /** Opens the list of rooms from the single window of a phone. */
  onList: () => void
  /** The window with the keyboard focus was closed, and it was the last one. */
  onEmpty: () => void
}

/**
 * The windows side by side at the bottom right, the others as tabs. On a phone: the window used
 * last, over the whole screen.
 */
export function ChatDock({ windows, onList, onEmpty }: ChatDockProps) {
  const { onPhone } = useChat()
  const dock = useRef<HTMLElement>(null)
  const { open, tabs } = arrangeWindows(windows.all, useWindowCapacity(onPhone))
  const shownTabs = onPhone ? [] : tabs

  const focusFirst = useEffectEvent((targetIds: readonly string[]) => {
    if (targetIds.length === 0 && windows.all.length > 0) return
    const target = targetIds.map(id => document.getElementById(id)).find(element => element !== null)
    if (target) target.focus()
    else onEmpty()
  })
  const initialTargets = useRef(windows.focusTargets)
  useEffect(() => {
    if (windows.focusTargets !== initialTargets.current) focusFirst(windows.focusTargets)
  }, [windows.focusTargets])

  if (open.length + shownTabs.length === 0) return null
  return createPortal(
    <section
      ref={dock}
      aria-label="Chat windows"
      className={styles.dock}
      data-chat-dock
      onKeyDown={event => focusNextStop(event, dock.current)}
    >
      {shownTabs.length > 0 ? (
        <ul className={styles.tabs} aria-label="Minimised chats">
          {shownTabs.map(window => (
            <WindowTab
              key={window.roomId}
              window={window}
              onRestore={() => windows.restore(window.roomId)}
              onClose={() => windows.close(window.roomId)}
            />
          ))}
        </ul>
      ) : null}
      {open.map(window => (
        <ChatWindowFrame
          key={window.roomId}
          window={window}
          onUse={() => windows.use(window.roomId)}
          onMinimise={() => windows.minimise(window.roomId)}
          onClose={() => windows.close(window.roomId)}
          onList={() => {
            windows.minimise(window.roomId)
            onList()
          }}
        />
      ))}
    </section>,
    document.body,
  )
}

/** The number of windows that fit on the screen beside the tabs. */
function useWindowCapacity(onPhone: boolean): number {
  const isMedium = useMediaQuery('(min-width: 900px)', true, { getInitialValueInEffect: false })
  const isWide = useMediaQuery('(min-width: 1240px)', true, { getInitialValueInEffect: false })
  if (onPhone || !isMedium) return 1
  return isWide ? limits.chatWindows : 2
}

/** F6 moves the focus to the next window or tab, Shift+F6 to the previous one. */
function focusNextStop(event: KeyboardEvent, dock: HTMLElement | null): void {
  if (event.key !== 'F6' || !dock) return
  event.preventDefault()
  const stops = [...dock.querySelectorAll<HTMLElement>('[data-chat-stop]')]
  const parts = stops.map(stop => stop.closest('[data-chat-part]') ?? stop)
  const current = parts.findIndex(part => part.contains(event.target as Node))
  stops.at((current + (event.shiftKey ? -1 : 1)) % stops.length)?.focus()
}

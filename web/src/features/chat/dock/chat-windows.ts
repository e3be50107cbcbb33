import { createSlice, type PayloadAction } from '@reduxjs/toolkit'
import { type ChatRoom, chatRoom, chatType } from '@watchline/contracts/chat'
import { limits } from '@watchline/contracts/limits'
import { z } from 'zod'

const chatWindow = z.object({
  roomId: z.string(),
  other: chatRoom.shape.other,
  chatType,
  /** False: it is a tab. */
  open: z.boolean(),
  /** Increases with every use of a window. */
  used: z.number(),
})
export type ChatWindow = z.infer<typeof chatWindow>

/** The windows and tabs by person, in the order they were opened. */
export type ChatWindows = Readonly<Record<string, readonly ChatWindow[]>>

interface WindowKey {
  personId: string
  roomId: string
}

const keyPrefix = 'watchline.chat.windows.'

const slice = createSlice({
  name: 'chatWindows',
  initialState: readStoredWindows,
  reducers: {
    windowOpened: (
      state,
      {
        payload: { personId, room },
      }: PayloadAction<{ personId: string; room: Pick<ChatRoom, 'id' | 'other' | 'chat_type'> }>,
    ) => {
      const windows = windowsOf(state, personId)
      const opened = {
        roomId: room.id,
        other: room.other,
        chatType: room.chat_type,
        open: true,
        used: nextUse(windows),
      }
      const exists = windows.some(window => window.roomId === room.id)
      const all = exists ? windows.map(window => (window.roomId === room.id ? opened : window)) : [...windows, opened]
      return { ...state, [personId]: limitOpenWindows(all) }
    },
    windowRestored: (state, { payload }: PayloadAction<WindowKey>) =>
      updateWindow(state, payload, (window, windows) => ({ ...window, open: true, used: nextUse(windows) })),
    windowUsed: (state, { payload }: PayloadAction<WindowKey>) =>
      updateWindow(state, payload, (window, windows) =>
        isLatest(window, windows) ? window : { ...window, used: nextUse(windows) },
      ),
    windowMinimised: (state, { payload }: PayloadAction<WindowKey>) =>
      updateWindow(state, payload, window => ({ ...window, open: false })),
    windowClosed: (state, { payload: { personId, roomId } }: PayloadAction<WindowKey>) => ({
      ...state,
      [personId]: windowsOf(state, personId).filter(window => window.roomId !== roomId),
    }),
  },
})

export const { windowOpened, windowRestored, windowUsed, windowMinimised, windowClosed } = slice.actions
export const chatWindows = slice.reducer

const noWindows: readonly ChatWindow[] = []

export function windowsOf(state: ChatWindows, personId: string): readonly ChatWindow[] {
  return state[personId] ?? noWindows
}

function updateWindow(
  state: ChatWindows,
  { personId, roomId }: WindowKey,
  change: (window: ChatWindow, windows: readonly ChatWindow[]) => ChatWindow,
): ChatWindows {
  const windows = windowsOf(state, personId)
  const current = windows.find(window => window.roomId === roomId)
  const changed = current && change(current, windows)
  if (!changed || changed === current) return state
  return { ...state, [personId]: limitOpenWindows(windows.map(window => (window === current ? changed : window))) }
}

function nextUse(windows: readonly ChatWindow[]): number {
  return Math.max(0, ...windows.map(window => window.used)) + 1
}

function isLatest(window: ChatWindow, windows: readonly ChatWindow[]): boolean {
  return window.used === nextUse(windows) - 1
}

/** Beyond the limit of open windows, those that were used longest ago become tabs. */
function limitOpenWindows(windows: readonly ChatWindow[]): readonly ChatWindow[] {
  const staysOpen = new Set(latestOpen(windows, limits.chatWindows))
  return windows.map(window => (window.open && !staysOpen.has(window) ? { ...window, open: false } : window))
}

/** The `most` windows used last, in their order, and all others as tabs. */
export function arrangeWindows(windows: readonly ChatWindow[], most: number) {
  const shown = new Set(latestOpen(windows, most))
  return { open: windows.filter(window => shown.has(window)), tabs: windows.filter(window => !shown.has(window)) }
}

function latestOpen(windows: readonly ChatWindow[], most: number): ChatWindow[] {
  return windows
    .filter(window => window.open)
    .sort((a, b) => b.used - a.used)
    .slice(0, most)
}

/** Stores the windows in this tab of the browser, so that they survive a reload. */
export function storeWindows(personId: string, windows: readonly ChatWindow[]): void {
  try {
    if (windows.length === 0) window.sessionStorage.removeItem(keyPrefix + personId)
    else window.sessionStorage.setItem(keyPrefix + personId, JSON.stringify(windows))
  } catch {
    // Without storage the windows are only lost on a reload.
  }
}

function readStoredWindows(): ChatWindows {
  try {
    const keys = Object.keys(window.sessionStorage).filter(key => key.startsWith(keyPrefix))
    return Object.fromEntries(keys.map(key => [key.slice(keyPrefix.length), parse(window.sessionStorage.getItem(key))]))
  } catch {
    return {}
  }
}

function parse(text: string | null): readonly ChatWindow[] {
  return z.array(chatWindow).safeParse(JSON.parse(text ?? '[]')).data ?? noWindows
}

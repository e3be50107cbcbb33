/** The actions of the player's keys and buttons. */
export interface PlayerActions {
  toggle: () => void
  seekBy: (seconds: number) => void
  skip: () => void
  toggleMute: () => void
  /** One step softer or louder. */
  changeVolume: (step: -1 | 1) => void
  toggleTheatre: () => void
  toggleCaptions: () => void
  toggleDescriptions: () => void
  /** One step slower or faster. */
  changeSpeed: (step: -1 | 1) => void
  showHelp: () => void
}

interface Shortcut {
  /** Values of `KeyboardEvent.key`. */
  keys: readonly string[]
  /** As tooltips and the help show it. */
  shown: string
  label: string
  /** Only while the player has the focus, because the key scrolls the page otherwise. */
  onlyInPlayer?: boolean
  run: (actions: PlayerActions) => void
}

/** The one table of keys: for the key handler, the tooltips and the help. */
export const shortcuts = {
  toggle: { keys: ['k', 'K', ' '], shown: 'K', label: 'Play or pause (also Space)', run: ({ toggle }) => toggle() },
  back10: { keys: ['j', 'J'], shown: 'J', label: 'Back 10 seconds', run: ({ seekBy }) => seekBy(-10) },
  forward10: { keys: ['l', 'L'], shown: 'L', label: 'Forward 10 seconds', run: ({ seekBy }) => seekBy(10) },
  back5: { keys: ['ArrowLeft'], shown: '←', label: 'Back 5 seconds', run: ({ seekBy }) => seekBy(-5) },
  forward5: { keys: ['ArrowRight'], shown: '→', label: 'Forward 5 seconds', run: ({ seekBy }) => seekBy(5) },
  skip: { keys: ['N'], shown: 'Shift+N', label: 'Skip to next video', run: ({ skip }) => skip() },
  mute: { keys: ['m', 'M'], shown: 'M', label: 'Sound on or off', run: ({ toggleMute }) => toggleMute() },
  louder: {
    keys: ['ArrowUp'],
    shown: '↑',
    label: 'Louder, while the focus is in the player',
    onlyInPlayer: true,
    run: ({ changeVolume }) => changeVolume(1),
  },
  softer: {
    keys: ['ArrowDown'],
    shown: '↓',
    label: 'Softer, while the focus is in the player',
    onlyInPlayer: true,
    run: ({ changeVolume }) => changeVolume(-1),
  },
  captions: {
    keys: ['c', 'C'],
    shown: 'C',
    label: 'Captions on or off',
    run: ({ toggleCaptions }) => toggleCaptions(),
  },
  descriptions: {
    keys: ['d', 'D'],
    shown: 'D',
    label: 'Audio descriptions as text on or off',
    run: ({ toggleDescriptions }) => toggleDescriptions(),
  },
  slower: { keys: ['<'], shown: '<', label: 'Slower', run: ({ changeSpeed }) => changeSpeed(-1) },
  faster: { keys: ['>'], shown: '>', label: 'Faster', run: ({ changeSpeed }) => changeSpeed(1) },
  theatre: {
    keys: ['t', 'T'],
    shown: 'T',
    label: 'Theatre view on or off',
    run: ({ toggleTheatre }) => toggleTheatre(),
  },
  help: { keys: ['?'], shown: '?', label: 'Keyboard shortcuts', run: ({ showHelp }) => showHelp() },
} as const satisfies Record<string, Shortcut>

export type ShortcutName = keyof typeof shortcuts

export function findShortcut(key: string): Shortcut | undefined {
  return Object.values<Shortcut>(shortcuts).find(({ keys }) => keys.includes(key))
}

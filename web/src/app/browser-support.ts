/** The parts of a browser that decide. TypeScript's types say that their newest methods exist. */
interface Platform {
  AbortSignal: object
  Map: object
  CSS: Pick<typeof CSS, 'supports'>
}

/**
 * Whether the browser has the newest features that the client uses. Chrome and Edge have them from
 * version 123, Firefox from 124 and Safari from 17.5 (all of spring 2024).
 */
export function isBrowserSupported(platform: Platform = globalThis): boolean {
  const hasMethods = 'any' in platform.AbortSignal && 'groupBy' in platform.Map
  return hasMethods && platform.CSS.supports('color', 'light-dark(#000, #fff)')
}

/** Stands in place of screens that would fail one by one. */
export function showUnsupportedBrowser(root: HTMLElement): void {
  const note = document.createElement('p')
  note.style.margin = '32px'
  note.textContent =
    'This browser is too old for Watchline. Update it, or use another one: Chrome or Edge 123, Firefox 124, Safari 17.5, or a later version of them.'
  root.replaceChildren(note)
}

/** Mantine's storage key for light, dark or auto; a missing value means auto. */
export const colorSchemeKey = 'mantine-color-scheme-value'

/**
 * Applies the same choice to pages without Mantine, through the attribute that Mantine sets
 * elsewhere.
 */
export function applyStoredColorScheme(): void {
  const stored = read()
  const dark = stored === 'dark' || (stored !== 'light' && window.matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
}

function read(): string | null {
  try {
    return window.localStorage.getItem(colorSchemeKey)
  } catch {
    return null
  }
}

/** Mantine's storage key for light, dark or auto; a missing value means auto. */
export const colorSchemeKey = 'mantine-color-scheme-value'

/**
 * Applies the same choice to pages without Mantine, through the attribute that Mantine sets
 * elsewhere.
 */
export function applyStoredColorScheme(): void {
  const storedScheme = readStoredScheme()
  const isDark =
    storedScheme === 'dark' || (storedScheme !== 'light' && window.matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light')
}

function readStoredScheme(): string | null {
  try {
    return window.localStorage.getItem(colorSchemeKey)
  } catch {
    return null
  }
}

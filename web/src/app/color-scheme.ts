/** Mantine's storage key for light, dark or auto; a missing value means auto. */
export const colorSchemeKey = 'mantine-color-scheme-value'

/**
 * Applies the same choice to pages without Mantine, now and when the system's scheme changes, through
 * the attribute that Mantine sets elsewhere.
 */
export function applyColorScheme(): void {
  const systemIsDark = window.matchMedia('(prefers-color-scheme: dark)')
  const apply = () => {
    const storedScheme = readStoredScheme()
    const isDark = storedScheme === 'dark' || (storedScheme !== 'light' && systemIsDark.matches)
    document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light')
  }
  apply()
  systemIsDark.addEventListener('change', apply)
}

function readStoredScheme(): string | null {
  try {
    return window.localStorage.getItem(colorSchemeKey)
  } catch {
    return null
  }
}

/** Where Mantine keeps the choice of light, dark or auto; absent means auto. */
export const colorSchemeKey = 'mantine-color-scheme-value'

/** The pages without Mantine follow the same choice: the style sheet looks at the attribute that Mantine sets elsewhere. */
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

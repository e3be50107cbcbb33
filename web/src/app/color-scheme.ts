/** Mantine's storage key for light, dark or auto; a missing value means auto. */
export const colorSchemeKey = 'mantine-color-scheme-value'

const schemeAttribute = 'data-mantine-color-scheme'

/**
 * Applies the same choice to pages without Mantine, now and when the system's scheme changes,
 * through the attribute that Mantine sets elsewhere.
 */
export function applyColorScheme(): void {
  const systemIsDark = window.matchMedia('(prefers-color-scheme: dark)')
  const apply = () => {
    const storedScheme = readStoredScheme()
    const isDark = storedScheme === 'dark' || (storedScheme !== 'light' && systemIsDark.matches)
    document.documentElement.setAttribute(schemeAttribute, isDark ? 'dark' : 'light')
  }
  apply()
  systemIsDark.addEventListener('change', apply)
  syncThemeColor()
}

/**
 * Gives the browser's own bars the colour of the shown scheme, whoever sets it. The document's two
 * colours are for the system's scheme, which the person's choice overrides.
 */
function syncThemeColor(): void {
  const metas = [...document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')]
  const colorOf = (scheme: string) => metas.find(meta => meta.getAttribute('media')?.includes(scheme))?.content
  const colors = { light: colorOf('light'), dark: colorOf('dark') }
  const apply = () => {
    const color = document.documentElement.getAttribute(schemeAttribute) === 'dark' ? colors.dark : colors.light
    for (const meta of metas) if (color) meta.content = color
  }
  apply()
  new MutationObserver(apply).observe(document.documentElement, { attributeFilter: [schemeAttribute] })
}

function readStoredScheme(): string | null {
  try {
    return window.localStorage.getItem(colorSchemeKey)
  } catch {
    return null
  }
}

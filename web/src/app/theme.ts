import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'
import { ButtonElement } from '../ui/controls/button-element.tsx'

const teal: MantineColorsTuple = [
  '#e7f6f5',
  '#d0ebe9',
  '#a3d8d4',
  '#73c4be',
  '#4db3ac',
  '#33a8a0',
  '#1f958d',
  '#137d77',
  '#0c6661',
  '#074d49',
]

const slate: MantineColorsTuple = [
  '#f6f8f9',
  '#eef2f4',
  '#e3e9ec',
  '#d3dce1',
  '#a8b6bf',
  '#8695a0',
  '#667681',
  '#51616c',
  '#36444e',
  '#17222a',
]

const night: MantineColorsTuple = [
  '#e8edf0',
  '#cdd6db',
  '#a4b2bb',
  '#7d8d98',
  '#4c5963',
  '#3a4650',
  '#232c33',
  '#1a2127',
  '#12171b',
  '#0d1114',
]

const closeable = { closeButtonProps: { 'aria-label': 'Close' } }

/**
 * Mantine in the product's look: deep teal on slate, hairlines, one type family, labels for icon-
 * only controls.
 */
export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  colors: { teal, gray: slate, dark: night },
  fontFamily: 'var(--wl-font)',
  headings: {
    fontFamily: 'var(--wl-font)',
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '28px', lineHeight: '36px' },
      h2: { fontSize: '20px', lineHeight: '28px' },
      h3: { fontSize: '16px', lineHeight: '24px' },
    },
  },
  fontSizes: { xs: '12px', sm: '14px', md: '16px', lg: '20px', xl: '28px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  defaultRadius: 'md',
  radius: { md: '8px' },
  cursorType: 'pointer',
  components: {
    // Its top stays in place when more content arrives. A centered dialog would move all it shows.
    Modal: { defaultProps: { ...closeable, yOffset: '8dvh', transitionProps: { transition: 'fade', duration: 150 } } },
    ModalHeader: { defaultProps: { role: 'presentation' } },
    Drawer: { defaultProps: { ...closeable, position: 'right', transitionProps: { duration: 150 } } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    Button: { defaultProps: { component: ButtonElement } },
    CloseButton: { defaultProps: { 'aria-label': 'Close' } },
    Pagination: {
      defaultProps: {
        getControlProps: (control: string) => ({
          'aria-label': `${control[0]?.toUpperCase()}${control.slice(1)} page`,
        }),
      },
    },
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { 'aria-label': 'Show password', tabIndex: 0 } },
    },
    Tabs: { vars: () => ({ root: { '--tabs-color': 'var(--wl-brand-text)' } }) },
    Table: { defaultProps: { verticalSpacing: 'xs', horizontalSpacing: 'md' } },
  },
})

const surfaces = {
  '--mantine-color-body': 'var(--wl-card)',
  '--mantine-color-text': 'var(--wl-text)',
  '--mantine-color-dimmed': 'var(--wl-dim)',
  '--mantine-color-error': 'var(--wl-red)',
  '--mantine-color-placeholder': 'var(--wl-dim)',
  '--mantine-color-default-border': 'var(--wl-line)',
  '--mantine-color-anchor': 'var(--wl-brand-text)',
}

/**
 * Mantine's own dark tint is darker than a card, so a light button looks disabled. Its surface of
 * disabled controls is that of a menu, so a switch looks like a dot.
 */
const darkTints = {
  '--mantine-color-teal-light': '#0e5753',
  '--mantine-color-teal-light-hover': '#116762',
  '--mantine-color-teal-light-color': '#a9e7e1',
  '--mantine-color-disabled': 'var(--wl-line)',
}

/** Mantine's surfaces use the product's own colours, as pages without Mantine do. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: surfaces,
  dark: { ...surfaces, ...darkTints },
})

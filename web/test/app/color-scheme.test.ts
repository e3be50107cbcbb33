import { afterEach, expect, test } from '@jest/globals'
import { waitFor } from '@testing-library/react'
import { applyColorScheme, colorSchemeKey } from '../../src/app/color-scheme.ts'

const themeColors = () =>
  [...document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')].map(({ content }) => content)

afterEach(() => {
  document.head.replaceChildren()
  window.localStorage.clear()
})

test('the browser’s bars have the colour of the chosen scheme, also after a change of it', async () => {
  document.head.innerHTML = `
    <meta name="theme-color" content="#ffffff" media="(prefers-color-scheme: light)" />
    <meta name="theme-color" content="#1a2127" media="(prefers-color-scheme: dark)" />`
  window.localStorage.setItem(colorSchemeKey, 'dark')
  applyColorScheme()
  expect(themeColors()).toEqual(['#1a2127', '#1a2127'])
  // Mantine sets the attribute when a person chooses another scheme.
  document.documentElement.setAttribute('data-mantine-color-scheme', 'light')
  await waitFor(() => expect(themeColors()).toEqual(['#ffffff', '#ffffff']))
})

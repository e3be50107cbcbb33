import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openChromium } from './browser.ts'

/**
 * Renders the icons of the web manifest from favicon.svg. Run it after a change of the mark:
 * `CHROMIUM_PATH=… node e2e/src/render-icons.ts`.
 */
const folder = fileURLToPath(new URL('../../web/public/', import.meta.url))
const brandColor = '#0d5f5b'

/** `padding`: systems cut maskable icons to a circle, so their mark keeps away from the edge. */
const icons = [
  { name: 'icon-32', size: 32 },
  { name: 'icon-192', size: 192 },
  { name: 'icon-512', size: 512 },
  { name: 'icon-180', size: 180, background: brandColor },
  { name: 'maskable-512', size: 512, background: brandColor, padding: 64 },
]

const svg = Buffer.from(readFileSync(`${folder}favicon.svg`)).toString('base64')
mkdirSync(`${folder}icons`, { recursive: true })
const browser = await openChromium()
for (const { name, size, background = 'transparent', padding = 0 } of icons) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  const inner = size - 2 * padding
  await page.setContent(
    `<body style="margin:0;padding:${padding}px;background:${background}">
      <img src="data:image/svg+xml;base64,${svg}" width="${inner}" height="${inner}" style="display:block">`,
  )
  await page.waitForFunction(() => document.images[0]?.complete)
  writeFileSync(`${folder}icons/${name}.png`, await page.screenshot({ omitBackground: true }))
  await page.close()
}
await browser.close()

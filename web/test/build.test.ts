/** @jest-environment ./tools/src/checks/native-environment.ts */

import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from '@jest/globals'

const root = fileURLToPath(new URL('../..', import.meta.url))
const outDir = mkdtempSync(join(tmpdir(), 'watchline-build-'))

beforeAll(async () => {
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const env = { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' }
  await promisify(execFile)(process.execPath, [vite, 'build', join(root, 'web'), '--outDir', outDir, '--emptyOutDir'], {
    env,
  })
})
afterAll(() => rmSync(outDir, { recursive: true, force: true }))

const page = () => readFileSync(join(outDir, 'index.html'), 'utf8')

test('the sign-in page’s JavaScript stays within 120 kB gzipped', () => {
  const scripts = [...page().matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path]) =>
    join(outDir, path ?? ''),
  )
  expect(scripts.length).toBeGreaterThan(1)
  const bytes = scripts.map(path => statSync(existsSync(`${path}.gz`) ? `${path}.gz` : path).size)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(120_000)
})

test('a first visit and a new version load fewer files than the gateway’s limits take into account', () => {
  const linked = [...page().matchAll(/(?:src|href)="\/[^"]+"/g)]
  // The page itself, its icon and manifest, and the page after the sign-in at the provider.
  expect(linked.length + 2).toBeLessThanOrEqual(12)
  const stored = readdirSync(join(outDir, 'assets')).filter(name => !/\.(br|gz)$/.test(name))
  // The service worker stores every file, also those that the dashboard has loaded. So a browser
  // loads each file at most twice.
  expect(2 * stored.length).toBeLessThanOrEqual(400)
})

test('the page has no inline script, which the content security policy forbids', () => {
  expect(page()).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>/)
})

test('a script of the page requests the files of each role’s first screen', () => {
  const [, path] = page().match(/<script async fetchpriority="high" src="\/(assets\/preload-[^"]+\.js)"/) ?? []
  const script = readFileSync(join(outDir, path!), 'utf8')
  expect(script).not.toMatch(/\bimport\b/)
  const files = [...script.matchAll(/\/assets\/[^"'`]+/g)].map(([file]) => file)
  for (const file of files) expect(existsSync(join(outDir, file))).toBe(true)
  for (const screen of ['user', 'supervisor', 'manager', 'admin'])
    expect(files.some(file => file.startsWith(`/assets/${screen}-`))).toBe(true)
})

test('the offline page does not load what starts the client', () => {
  const scriptsOf = (file: string) =>
    [...readFileSync(join(outDir, file), 'utf8').matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(
      ([, path]) => path!,
    )
  const start = scriptsOf('index.html').find(path => path.includes('/index-'))
  expect(start).toBeDefined()
  expect(scriptsOf('offline.html').length).toBeGreaterThan(1)
  expect(scriptsOf('offline.html')).not.toContain(start)
})

test('compressible files are stored compressed as well', () => {
  const assets = readdirSync(join(outDir, 'assets'))
  const large = assets.filter(name => /\.(js|css)$/.test(name) && statSync(join(outDir, 'assets', name)).size >= 1_024)
  expect(large.length).toBeGreaterThan(5)
  for (const name of large) {
    const path = join(outDir, 'assets', name)
    expect(brotliDecompressSync(readFileSync(`${path}.br`)).equals(readFileSync(path))).toBe(true)
    expect(existsSync(`${path}.gz`)).toBe(true)
  }
})

test('the header’s own styles come after those of Mantine, which they change', () => {
  const folder = join(outDir, 'assets')
  const sheets = readdirSync(folder)
    .filter(name => name.endsWith('.css'))
    .map(name => readFileSync(join(folder, name), 'utf8'))
  // The class of Mantine's button.
  const ofMantine = sheets.filter(sheet => sheet.includes('.m_77c9d27d{'))
  const ofHeader = sheets.filter(sheet => sheet.includes('._signOut_'))
  expect(ofHeader).toHaveLength(1)
  expect(ofHeader).toEqual(ofMantine)
  expect(ofHeader[0]!.indexOf('._signOut_')).toBeGreaterThan(ofHeader[0]!.lastIndexOf('.m_77c9d27d{'))
})

test('the build contains a single character set of the font Inter', () => {
  const fonts = readdirSync(join(outDir, 'assets')).filter(name => name.endsWith('.woff2'))
  expect(fonts).toEqual([expect.stringMatching(/^inter-latin-wght-normal/)])
})

test('the page links a manifest and icons that exist in the stated sizes', () => {
  const links = [...page().matchAll(/<link rel="(?:icon|apple-touch-icon|manifest)" href="([^"]+)"/g)]
  expect(links).toHaveLength(4)
  for (const [, path] of links) expect(existsSync(join(outDir, path!))).toBe(true)
  const manifest = JSON.parse(readFileSync(join(outDir, 'manifest.webmanifest'), 'utf8'))
  expect(manifest).toMatchObject({ start_url: '/', scope: '/', display: 'standalone' })
  const icons: { src: string; sizes: string; type: string }[] = manifest.icons
  expect(icons.map(({ sizes }) => sizes)).toEqual(expect.arrayContaining(['192x192', '512x512']))
  for (const { src, sizes, type } of icons) {
    const file = readFileSync(join(outDir, src))
    // The header of a PNG file has its width and height.
    if (type === 'image/png') expect(`${file.readUInt32BE(16)}x${file.readUInt32BE(20)}`).toBe(sizes)
  }
})

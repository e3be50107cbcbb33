import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { ensureWebBuild } from '../../src/start/web-build.ts'
import { temporaryFolder } from '../_processes.ts'

let root = ''
let builds = 0

function writeSource(path: string, content: string) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

async function build(outDir: string) {
  builds++
  mkdirSync(outDir, { recursive: true })
  writeFileSync(join(outDir, 'index.html'), readFileSync(join(root, 'web/src/app.tsx')))
}

const ensure = (runBuild = build) => ensureWebBuild({ root, build: runBuild, log: () => {} })
const page = () => readFileSync(join(root, 'web/dist/index.html'), 'utf8')

beforeEach(() => {
  root = temporaryFolder()
  builds = 0
  writeSource('web/src/app.tsx', 'first')
  writeSource('web/test/app.test.tsx', 'a test')
  writeSource('shared/contracts/src/limits.ts', 'limits')
  writeSource('package-lock.json', '{}')
})

describe('the web build', () => {
  test('is made when there is none', async () => {
    expect(await ensure()).toBe(join(root, 'web/dist'))
    expect(page()).toBe('first')
  })

  test('is not made again when nothing has changed', async () => {
    await ensure()
    writeSource('web/test/app.test.tsx', 'another test')
    writeSource('web/node_modules/some/index.js', 'something')
    await ensure()
    expect(builds).toBe(1)
  })

  test.each(['web/src/app.tsx', 'web/index.html', 'shared/contracts/src/limits.ts', 'package-lock.json'])(
    'is made again when %s has changed',
    async path => {
      await ensure()
      writeSource(path, 'changed')
      await ensure()
      expect(builds).toBe(2)
      expect(page()).toBe(path === 'web/src/app.tsx' ? 'changed' : 'first')
    },
  )

  test('that fails keeps the last build and leaves no files', async () => {
    await ensure()
    writeSource('web/src/app.tsx', 'broken')
    const failing = async (outDir: string) => {
      await build(outDir)
      throw new Error('does not compile')
    }

    await expect(ensure(failing)).rejects.toThrow('does not compile')

    expect(page()).toBe('first')
    expect(readdirSync(join(root, '.cache'))).toEqual([])
    await ensure()
    expect(page()).toBe('broken')
  })

  test('made several times at once ends as one complete build', async () => {
    await ensure()
    writeSource('web/src/app.tsx', 'second')

    await Promise.all([ensure(), ensure(), ensure()])

    expect(page()).toBe('second')
    expect(existsSync(join(root, 'web/dist/.stamp'))).toBe(true)
    expect(readdirSync(join(root, '.cache'))).toEqual([])
  })
})

// A Jest runtime in which Node itself loads the tests and all that they import. Jest's own runtime
// loads every module again for each test file, which was half of the time of all tests. Here, a
// worker process loads each module once, so modules must not keep state between test files. Modules
// in folders of tests and of the web are an exception: each test file gets its own.
import { readFileSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type * as JestGlobals from '@jest/globals'
import type * as swc from '@swc/core'
import type JestRuntimeModule from 'jest-runtime'

type Globals = typeof JestGlobals

const require = createRequire(import.meta.url)
const { default: JestRuntime } = require('jest-runtime') as typeof JestRuntimeModule
const globalNames = ['afterAll', 'afterEach', 'beforeAll', 'beforeEach', 'describe', 'expect', 'jest', 'test'] as const
const globalsUrl = 'watchline:jest-globals'

/** The exports of `@jest/globals` for the test file that runs. */
let current: Globals

// Modules that several test files import keep these functions, so they pass on to the current ones.
const passingOn = (name: (typeof globalNames)[number]) =>
  new Proxy(() => {}, {
    apply: (_target, self, values) => Reflect.apply(current[name] as () => unknown, self, values),
    get: (_target, key) => Reflect.get(current[name], key),
  })
Object.assign(globalThis, {
  watchlineJestGlobals: Object.fromEntries(globalNames.map(name => [name, passingOn(name)])),
})

// If Jest itself was killed, open connections would keep this process and its servers alive.
process.once('disconnect', () => process.exit(1))

let testFiles = 0
const isOfTests = (url: string) => /^file:.*\/test\/[^?]*$/.test(url) && !url.includes('/node_modules/')
const isOfWeb = (url: string) => /^file:.*\/web\/src\/[^?]*$/.test(url)
/** It keeps the document that it finds first. */
const isUserEvent = (url: string) => /\/node_modules\/@testing-library\/user-event\/[^?]*$/.test(url)
const isLoadedAgain = (url: string) => isOfTests(url) || isOfWeb(url) || isUserEvent(url)

const compiled = new Map<string, string>()
/**
 * The source map of each loaded module, a data URL, by the module's address. Jest reads positions
 * from it.
 */
const sourceMaps = new Map<string, string>()

/** The JavaScript of a module of the web. Node itself does not compile JSX. */
function compileForWeb(path: string): string {
  if (!compiled.has(path)) {
    const { transformSync } = require('@swc/core') as typeof swc
    const { code } = transformSync(readFileSync(path, 'utf8'), {
      filename: path,
      jsc: {
        target: 'es2024',
        parser: { syntax: 'typescript', tsx: path.endsWith('.tsx') },
        transform: { react: { runtime: 'automatic' } },
      },
      sourceMaps: 'inline',
    })
    compiled.set(path, code)
  }
  return compiled.get(path)!
}

// Each class keeps the name that the source gives it.
const styleStub = 'export default new Proxy({}, { get: (_, name) => name })'

registerHooks({
  resolve: (specifier, context, nextResolve) => {
    if (specifier === '@jest/globals') return { url: globalsUrl, shortCircuit: true }
    const resolved = nextResolve(specifier, context)
    // Node evaluates a module again only under another address.
    return isLoadedAgain(resolved.url) ? { ...resolved, url: `${resolved.url}?${testFiles}` } : resolved
  },
  load: (url, context, nextLoad) => {
    const asModule = (source: string) => ({ format: 'module' as const, source, shortCircuit: true })
    if (url === globalsUrl) return asModule(`export const { ${globalNames.join()} } = globalThis.watchlineJestGlobals`)
    if (/\.css(\?|$)/.test(url)) return asModule(styleStub)
    if (/\/web\/(src|test)\/.*\.tsx?(\?|$)/.test(url)) {
      const source = compileForWeb(fileURLToPath(url))
      sourceMaps.set(url, source.slice(source.lastIndexOf('data:application/json')).trim())
      return asModule(source)
    }
    return nextLoad(url, context)
  },
})

export default class NativeRuntime extends JestRuntime {
  override unstable_shouldLoadAsEsm(): boolean {
    return true
  }

  override getSourceMaps(): Map<string, string> {
    return sourceMaps
  }

  /** Imports a test file, or a file of `setupFilesAfterEnv` before it. */
  override async unstable_importModule(path: string): Promise<unknown> {
    const { href } = pathToFileURL(path)
    return import(isOfTests(href) ? href : `${href}?${testFiles}`)
  }

  override requireInternalModule<T>(path: string): T {
    testFiles += 1
    // Jest's test framework keeps the tests of a file in module variables.
    delete require.cache[path]
    Reflect.deleteProperty(globalThis, Symbol.for('EVENT_HANDLERS'))
    return require(path)
  }

  override setGlobalsForRuntime(globals: Parameters<JestRuntimeModule.default['setGlobalsForRuntime']>[0]): void {
    super.setGlobalsForRuntime(globals)
    current = this.requireModuleOrMock<Globals>(import.meta.filename, '@jest/globals')
  }
}

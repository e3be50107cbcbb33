// A Jest runtime in which Node itself loads the tests and all that they import. Jest's own runtime
// loads every module again for each test file, which was half of the time of all tests. Here, a
// worker process loads each module once, so modules must not keep state between test files. Modules
// in folders of tests are an exception: each test file gets its own, with their hooks.
import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import type * as JestGlobals from '@jest/globals'
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

let testFiles = 0
const isOfTests = (url: string) => /^file:.*\/test\/[^?]*$/.test(url) && !url.includes('/node_modules/')

registerHooks({
  resolve: (specifier, context, nextResolve) => {
    if (specifier === '@jest/globals') return { url: globalsUrl, shortCircuit: true }
    const resolved = nextResolve(specifier, context)
    // Node evaluates a module again only under another address.
    return isOfTests(resolved.url) ? { ...resolved, url: `${resolved.url}?${testFiles}` } : resolved
  },
  load: (url, context, nextLoad) =>
    url === globalsUrl
      ? {
          format: 'module',
          source: `export const { ${globalNames.join()} } = globalThis.watchlineJestGlobals`,
          shortCircuit: true,
        }
      : nextLoad(url, context),
})

export default class NativeRuntime extends JestRuntime {
  override unstable_shouldLoadAsEsm(): boolean {
    return true
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

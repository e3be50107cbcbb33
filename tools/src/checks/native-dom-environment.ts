// The Jest environment of the web's tests: a jsdom window of its own for each test file, whose
// properties are globals of the process. Network, streams, timers and cryptography stay Node's.
import 'fake-indexeddb/auto'
import { createRequire } from 'node:module'
import { ModernFakeTimers } from '@jest/fake-timers'
import { IDBFactory } from 'fake-indexeddb'
import NativeEnvironment from './native-environment.ts'

// The package's types would add those of a browser to all programs for Node.
interface DomWindow {
  [name: string]: unknown
  addEventListener(type: 'error', listener: (event: { error?: Error; defaultPrevented: boolean }) => void): void
  close(): void
}
interface Jsdom {
  VirtualConsole: new () => { forwardTo(console: Console, options: { jsdomErrors: 'none' }): void }
  JSDOM: new (html: string, options: object) => { window: DomWindow }
}
const { JSDOM, VirtualConsole } = createRequire(import.meta.url)('jsdom') as Jsdom

/** Node has these, too, but elements and their events need those of the window. */
const replaced = new Set([
  ...['CloseEvent', 'CustomEvent', 'DOMException', 'ErrorEvent', 'Event', 'EventTarget', 'File', 'MessageEvent'],
  ...['Navigator', 'Storage', 'StorageEvent', 'WebSocket', 'localStorage', 'navigator', 'sessionStorage'],
])
const inherited = ['addEventListener', 'dispatchEvent', 'removeEventListener']

// Timers of a window end with it. Libraries keep these functions from the first window on.
let timers: Set<NodeJS.Timeout> | undefined
const untilClosed =
  <Values extends unknown[]>(start: (...values: Values) => NodeJS.Timeout) =>
  (...values: Values) => {
    const timer = start(...values)
    if (timers) timers.add(timer)
    else clearTimeout(timer)
    return timer
  }
// React's scheduler would wait for ever for a task that is cleared, so these run to their end.
let waitingTasks = 0
const startTask = setImmediate
function countedSetImmediate<Values extends unknown[]>(task: (...values: Values) => void, ...values: Values) {
  waitingTasks += 1
  return startTask(() => {
    waitingTasks -= 1
    task(...values)
  })
}
const timerFunctions = {
  setTimeout: untilClosed(setTimeout),
  setInterval: untilClosed(setInterval),
  setImmediate: countedSetImmediate,
}
const selfReferences = ['window', 'self', 'top', 'parent', 'frames']

export default class NativeDomEnvironment extends NativeEnvironment {
  #globals: PropertyDescriptorMap = {}
  #window: DomWindow | undefined
  readonly #projectConfig

  constructor(config: ConstructorParameters<typeof NativeEnvironment>[0]) {
    super(config)
    this.#projectConfig = config.projectConfig
  }

  override async setup(): Promise<void> {
    await super.setup()
    this.#globals = Object.getOwnPropertyDescriptors(globalThis)
    const virtualConsole = new VirtualConsole()
    virtualConsole.forwardTo(console, { jsdomErrors: 'none' })
    const { window } = new JSDOM('<!DOCTYPE html>', {
      url: 'http://localhost/',
      pretendToBeVisual: true,
      virtualConsole,
    })
    this.#window = window
    for (const name of [...Object.getOwnPropertyNames(window), ...inherited]) {
      if (name in globalThis && !replaced.has(name)) continue
      Object.defineProperty(globalThis, name, descriptorOf(window, name))
    }
    for (const [name, value] of Object.entries(timerFunctions)) define(name, value)
    timers = new Set()
    define('indexedDB', new IDBFactory())
    for (const name of selfReferences) define(name, globalThis)
    failOnUncaughtErrors(window)
    // Its list of functions to replace has those of the window now.
    this.fakeTimersModern = new ModernFakeTimers({ config: this.#projectConfig, global: globalThis })
  }

  override async teardown(): Promise<void> {
    await super.teardown()
    for (const timer of timers ?? []) clearTimeout(timer)
    timers = undefined
    // A cleared one is counted for ever.
    for (let round = 0; waitingTasks > 0 && round < 100; round += 1) await new Promise(resolve => startTask(resolve))
    waitingTasks = 0
    this.#window?.close()
    for (const name of Object.getOwnPropertyNames(globalThis))
      if (!(name in this.#globals)) Reflect.deleteProperty(globalThis, name)
    Object.defineProperties(globalThis, this.#globals)
  }
}

function define(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
}

function descriptorOf(window: DomWindow, name: string): PropertyDescriptor {
  const value = window[name]
  if (typeof value !== 'function')
    return {
      configurable: true,
      get: () => window[name],
      set: changed => {
        window[name] = changed
      },
    }
  const isClass = /^[A-Z]/.test(name)
  return { value: isClass ? value : value.bind(window), configurable: true, writable: true }
}

/**
 * An error in an event listener fails the test, as in a browser's console, unless the page handles
 * it.
 */
function failOnUncaughtErrors(window: DomWindow): void {
  window.addEventListener('error', ({ error, defaultPrevented }) => {
    if (error && !defaultPrevented) process.emit('uncaughtException', error)
  })
}

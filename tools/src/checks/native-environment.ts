// The Jest environment that belongs to the native runtime: tests use the globals of the process.
import { ModernFakeTimers } from '@jest/fake-timers'
import { ModuleMocker } from 'jest-mock'

export default class NativeEnvironment {
  // Jest puts its console and its process.exit here.
  readonly global = Object.create(globalThis, { process: { value: Object.create(process) } })
  readonly moduleMocker = new ModuleMocker(globalThis)
  readonly fakeTimers = null
  fakeTimersModern: ModernFakeTimers
  #console = globalThis.console

  constructor({ projectConfig }: { projectConfig: ConstructorParameters<typeof ModernFakeTimers>[0]['config'] }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis })
  }

  async setup(): Promise<void> {
    // Jest shows the output of a test file under its name.
    globalThis.console = this.global.console
  }

  async teardown(): Promise<void> {
    globalThis.console = this.#console
    this.fakeTimersModern.dispose()
  }

  getVmContext(): null {
    return null
  }
}

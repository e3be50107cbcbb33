import type { LiveStore } from '@watchline/kit/live/live-store'
import mongoose from 'mongoose'

/** A MongoDB command: its name, the collection it is for, and its filter where it has one. */
export interface RecordedCommand {
  name: string
  collection: unknown
  filter: unknown
}

/**
 * Starts a service, and tells `note` every command of the connection it opens, and of no other; change streams are left out. `start` is
 * given the connection string the service must use.
 */
export async function recordCommands<T>(
  mongoUrl: string,
  note: (command: RecordedCommand) => unknown,
  start: (mongoUrl: string) => Promise<T>,
): Promise<T> {
  const url = new URL(mongoUrl)
  url.searchParams.set('monitorCommands', 'true')
  const before = new Set(mongoose.connections)
  const started = await start(url.href)
  const own = mongoose.connections.find(connection => !before.has(connection))
  own!.getClient().on('commandStarted', ({ commandName: name, command }) => {
    // A change stream opens again by itself after an interruption.
    if (name === 'getMore' || command.pipeline?.[0]?.$changeStream) return
    note({ name, collection: command[name], filter: command.filter })
  })
  return started
}

/** Tells `note` every call of a live store, each one round trip, as `part.method`. */
export function recordLiveStoreCalls(live: LiveStore, note: (call: string) => unknown): LiveStore {
  const watched = (target: object, path: string): object =>
    new Proxy(target, {
      get: (of, key) => {
        const value = Reflect.get(of, key)
        const name = path ? `${path}.${String(key)}` : String(key)
        if (typeof value === 'function')
          return (...given: unknown[]) => {
            note(name)
            return Reflect.apply(value, of, given)
          }
        return typeof value === 'object' && value !== null ? watched(value, name) : value
      },
    })
  return watched(live, '') as LiveStore
}

import type { LiveStore } from '@watchline/kit/live/live-store'
import { currentTrace } from '@watchline/kit/observability/log'
import mongoose from 'mongoose'

/** A MongoDB command; `filter` and `pipeline` are undefined for commands without one. */
export interface RecordedCommand {
  name: string
  collection: unknown
  filter: unknown
  pipeline: unknown
}

/**
 * Starts a service and passes the commands that its requests and events cause to `record`. Commands
 * of jobs that run by themselves (rebuild of projections, change streams, watchers) are left out,
 * because they come at any time. `start` gets the connection string that the service must use.
 */
export async function recordCommands<T>(
  mongoUrl: string,
  record: (command: RecordedCommand) => unknown,
  start: (mongoUrl: string) => Promise<T>,
): Promise<T> {
  const url = new URL(mongoUrl)
  url.searchParams.set('monitorCommands', 'true')
  const before = new Set(mongoose.connections)
  const started = await start(url.href)
  const own = mongoose.connections.find(connection => !before.has(connection))
  own!.getClient().on('commandStarted', ({ commandName: name, command }) => {
    if (!currentTrace.getStore()) return
    // A consumer or request may have opened the change stream that continues by itself.
    if (name === 'getMore' || command.pipeline?.[0]?.$changeStream) return
    record({ name, collection: command[name], filter: command.filter, pipeline: command.pipeline })
  })
  return started
}

/**
 * Passes the name (`part.method`) of every call of a live store to `record`; each is one round
 * trip.
 */
export function recordLiveStoreCalls(live: LiveStore, record: (call: string) => unknown): LiveStore {
  const recordCallsOf = (target: object, path: string): object =>
    new Proxy(target, {
      get: (object, key) => {
        const value = Reflect.get(object, key)
        const name = path ? `${path}.${String(key)}` : String(key)
        if (typeof value === 'function')
          return (...args: unknown[]) => {
            record(name)
            return Reflect.apply(value, object, args)
          }
        return typeof value === 'object' && value !== null ? recordCallsOf(value, name) : value
      },
    })
  return recordCallsOf(live, '') as LiveStore
}

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { DomainEvent, EventType } from '@watchline/contracts/events'

export interface StoredEvent {
  file: string
  type: EventType
  version: number
  event: DomainEvent
}

const folder = fileURLToPath(new URL('events/', import.meta.url))

/** One example of every version of every event type ever published, by type and version. */
export const storedEvents: readonly StoredEvent[] = readdirSync(folder)
  .filter(file => file !== 'manifest.json')
  .map(file => {
    const [, type, version] = /^(.+)\.v(\d+)\.json$/.exec(file) ?? []
    if (!type) throw new Error(`${file} is not called <type>.v<number>.json`)
    const event = JSON.parse(readFileSync(folder + file, 'utf8')) as DomainEvent
    return { file, type: type as EventType, version: Number(version), event }
  })
  .sort((a, b) => a.type.localeCompare(b.type) || a.version - b.version)

/** The value as a later version might publish it: with one more field in every object. */
export function withUnknownFields<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withUnknownFields) as T
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, field]) => [name, withUnknownFields(field)])
  return Object.fromEntries([...fields, ['added_later', { by: ['a newer version'] }]])
}

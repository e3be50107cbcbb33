import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { cloudEvent, type EventType, events } from '@watchline/contracts/events'
import { z } from 'zod'
import { type StoredEvent, storedEvents, withUnknownFields } from './_stored-events.ts'

// Events outlive the version that published them: in queues, dead letters and outboxes. Every
// version of every event is stored here as a file, and consumers must accept all of them for ever.

const types = Object.keys(events) as EventType[]
const findStored = (type: EventType) => storedEvents.filter(stored => stored.type === type)

function parseData({ event }: Pick<StoredEvent, 'event'>) {
  const envelope = cloudEvent.parse(event)
  return events[envelope.type as EventType].data.safeParse(envelope.data)
}

describe('stored events', () => {
  test('every type has one file a version, numbered from 1', () => {
    expect([...new Set(storedEvents.map(stored => stored.type))].sort()).toEqual([...types].sort())
    for (const type of types) {
      const versions = findStored(type).map(stored => stored.version)
      expect([type, versions]).toEqual([type, versions.map((_, index) => index + 1)])
    }
  })

  test('files never change and are never removed (a new shape needs a new file and a new line in manifest.json)', () => {
    // The hash is of the content, not of the layout of the file.
    const hashOf = ({ event }: StoredEvent) => createHash('sha256').update(JSON.stringify(event)).digest('hex')
    const manifest = JSON.parse(readFileSync(new URL('events/manifest.json', import.meta.url), 'utf8'))
    expect(Object.fromEntries(storedEvents.map(stored => [stored.file, hashOf(stored)]))).toEqual(manifest)
  })

  test.each(storedEvents)('$file is still accepted', stored => {
    expect(parseData(stored)).toMatchObject({ success: true })
  })

  test.each(storedEvents)('$file is accepted with unknown fields at every level', ({ event }) => {
    const laterEvent = withUnknownFields(event)
    expect(JSON.stringify(laterEvent).match(/added_later/g)!.length).toBeGreaterThan(1)
    // Unknown fields are dropped, so that no service forwards or stores what it does not
    // understand.
    expect(parseData({ event: laterEvent })).toEqual(parseData({ event }))
  })

  test.each(types)('the newest file of %s has every field of the current contract', type => {
    const { event } = findStored(type).at(-1)!
    const schema = z.toJSONSchema(events[type].data, { io: 'input', unrepresentable: 'any' })
    expect(findMissingFields(event.data, schema as DataSchema, 'data')).toEqual([])
  })
})

interface DataSchema {
  properties?: Record<string, DataSchema>
  items?: DataSchema
}

/** The paths of the schema's fields that the value lacks. */
function findMissingFields(value: unknown, schema: DataSchema, path: string): string[] {
  if (schema.items) return findMissingFields((value as unknown[])[0], schema.items, `${path}[]`)
  return Object.entries(schema.properties ?? {}).flatMap(([name, fieldSchema]) => {
    const field = (value as Record<string, unknown>)[name]
    return field === undefined ? [`${path}.${name}`] : findMissingFields(field, fieldSchema, `${path}.${name}`)
  })
}

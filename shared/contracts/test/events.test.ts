import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { cloudEvent, type EventType, events } from '@watchline/contracts/events'
import { z } from 'zod'
import { type StoredEvent, storedEvents, withUnknownFields } from './_stored-events.ts'

// Events outlive the version that published them: in queues, in dead letters, in the outbox of a
// service that is being upgraded. What was ever published is kept here as files, and must be
// understood for ever.

const types = Object.keys(events) as EventType[]
const filesOf = (type: EventType) => storedEvents.filter(each => each.type === type)
const newestOf = (type: EventType) => filesOf(type).at(-1)!

function accepts({ event }: Pick<StoredEvent, 'event'>) {
  const envelope = cloudEvent.parse(event)
  return events[envelope.type as EventType].data.safeParse(envelope.data)
}

describe('events as they were ever published', () => {
  test('every type has its versions as files, numbered from 1', () => {
    expect([...new Set(storedEvents.map(each => each.type))].sort()).toEqual([...types].sort())
    for (const type of types) {
      const versions = filesOf(type).map(each => each.version)
      expect([type, versions]).toEqual([type, versions.map((_, index) => index + 1)])
    }
  })

  test('a file that is there is never changed or removed (a new shape is a new file, and a new line in manifest.json)', () => {
    // Of what it says, not of how it is laid out.
    const hashOf = ({ event }: StoredEvent) => createHash('sha256').update(JSON.stringify(event)).digest('hex')
    const manifest = JSON.parse(readFileSync(new URL('events/manifest.json', import.meta.url), 'utf8'))
    expect(Object.fromEntries(storedEvents.map(each => [each.file, hashOf(each)]))).toEqual(manifest)
  })

  test.each(storedEvents)('$file is still accepted', stored => {
    expect(accepts(stored)).toMatchObject({ success: true })
  })

  test.each(storedEvents)('$file is accepted with fields nobody knows yet, at every level', ({ event }) => {
    const later = withUnknownFields(event)
    expect(JSON.stringify(later).match(/added_later/g)!.length).toBeGreaterThan(1)
    const [known, unknown] = [accepts({ event }), accepts({ event: later })]
    // They are dropped, so that nothing passes on or stores what it does not understand.
    expect(unknown).toEqual(known)
  })

  test.each(types)('the newest file of %s holds every field there is today', type => {
    const { event } = newestOf(type)
    const shape = z.toJSONSchema(events[type].data, { io: 'input', unrepresentable: 'any' })
    expect(absentIn(event.data, shape as Shape, 'data')).toEqual([])
  })
})

interface Shape {
  properties?: Record<string, Shape>
  items?: Shape
}

/** Fields of the schema that the value lacks. */
function absentIn(value: unknown, shape: Shape, path: string): string[] {
  if (shape.items) return absentIn((value as unknown[])[0], shape.items, `${path}[]`)
  return Object.entries(shape.properties ?? {}).flatMap(([name, inner]) => {
    const field = (value as Record<string, unknown>)[name]
    return field === undefined ? [`${path}.${name}`] : absentIn(field, inner, `${path}.${name}`)
  })
}

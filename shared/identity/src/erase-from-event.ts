import type { DomainEvent, EventData, EventType } from '@watchline/contracts/events'
import { erasedName } from '@watchline/contracts/people'

type EventRule<T extends EventType> = (data: EventData<T>, personId: string) => EventData<T>

const withoutCommentText: EventRule<'comment.added'> = (data, personId) =>
  data.person_id === personId && data.text !== '' ? { ...data, text: '' } : data

/** The texts by or about a person that events contain. */
const rules: { [T in EventType]?: EventRule<T> } = {
  'comment.added': withoutCommentText,
  'comment.edited': (data, personId) =>
    data.person_id === personId && data.text !== '' ? { ...data, text: '' } : data,
  'notification.reviewed': (data, personId) =>
    (data.by === personId || data.person_id === personId) && data.words !== '' ? { ...data, words: '' } : data,
  // A note may be to several people. It stays in the tasks of the others until its author goes.
  'playlist.assigned': (data, personId) => {
    const { note, ...others } = data
    return note !== undefined && (data.by === personId || data.assigned.includes(personId)) ? others : data
  },
  // A reason may be about several people. It stays in the tasks of the others.
  'assignment.due_changed': (data, personId) => {
    const { reason, ...others } = data
    return reason !== undefined && data.changed.includes(personId) ? others : data
  },
  'assignment.overridden': (data, personId) =>
    data.changed.includes(personId) && data.reason !== '' ? { ...data, reason: '' } : data,
  'person.time_zone_changed': (data, personId) =>
    data.person_id === personId && data.time_zone !== null ? { ...data, time_zone: null } : data,
  'user.erased': (data, personId) => {
    const { earlier_names: earlierNames, ...others } = data
    return earlierNames !== undefined && data.person.id === personId ? others : data
  },
  'supervisor_request.reviewed': (data, personId) => {
    const { comment, ...others } = data
    return comment !== undefined && (data.manager_id === personId || data.supervisor_id === personId) ? others : data
  },
}

/**
 * The event without the name, addresses and texts of a person; their id stays. Returns the same
 * object if it holds none of these.
 */
export function eraseFromEvent<E extends DomainEvent>(event: E, personId: string): E {
  const rule = rules[event.type as EventType] as EventRule<EventType> | undefined
  const data = withoutNames(event.data, personId)
  const next = rule ? rule(data as EventData<EventType>, personId) : data
  return next === event.data ? event : { ...event, data: next }
}

/** Replaces the name and addresses of every object that describes the person. */
function withoutNames(value: unknown, personId: string): unknown {
  if (Array.isArray(value)) {
    const items = value.map(item => withoutNames(item, personId))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([key, field]) => [key, withoutNames(field, personId)] as const)
  const changed = fields.some(([key, field]) => field !== (value as Record<string, unknown>)[key])
  const copy = changed ? Object.fromEntries(fields) : value
  const { id, name } = value as { id?: unknown; name?: unknown }
  if (id !== personId || typeof name !== 'string' || name === erasedName) return copy
  return {
    ...copy,
    name: erasedName,
    ...('email' in value && { email: '' }),
    ...('picture' in value && { picture: null }),
  }
}

/** The side of a person in their room. Side 1 has the smaller id. */
export type Side = 1 | 2

/** Two person ids in the order of their sides. */
export function sortPair(firstId: string, secondId: string): [string, string] {
  return firstId < secondId ? [firstId, secondId] : [secondId, firstId]
}

/** A pair of people has one room; its id follows from theirs. */
export function roomIdOf(firstId: string, secondId: string): string {
  return sortPair(firstId, secondId).join('-')
}

export function sideOf(personId: string, partnerId: string): Side {
  return personId < partnerId ? 1 : 2
}

export function oppositeSide(side: Side): Side {
  return side === 1 ? 2 : 1
}

/** The partner of a person in a room; undefined when the person is not in the room. */
export function partnerIdIn(roomId: string, personId: string): string | undefined {
  const candidates = [
    roomId.startsWith(`${personId}-`) && roomId.slice(personId.length + 1),
    roomId.endsWith(`-${personId}`) && roomId.slice(0, -personId.length - 1),
  ]
  return candidates.find((id): id is string => !!id && id !== personId && roomIdOf(personId, id) === roomId)
}

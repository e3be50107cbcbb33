/** Which of the two a person is in their room: user1 has the smaller id. */
export type Side = 1 | 2

/** The ids of the two, in the order of the room. */
export function pairOf(one: string, other: string): [string, string] {
  return one < other ? [one, other] : [other, one]
}

/** There is one room a pair, and its id follows from theirs. */
export function roomIdOf(one: string, other: string): string {
  return pairOf(one, other).join('-')
}

export function sideOf(personId: string, otherId: string): Side {
  return personId < otherId ? 1 : 2
}

export function otherSide(side: Side): Side {
  return side === 1 ? 2 : 1
}

/** The other one of a room that is named by its id; undefined for a room that cannot be the person's. */
export function otherIn(roomId: string, personId: string): string | undefined {
  const others = [
    roomId.startsWith(`${personId}-`) && roomId.slice(personId.length + 1),
    roomId.endsWith(`-${personId}`) && roomId.slice(0, -personId.length - 1),
  ]
  return others.find((other): other is string => !!other && other !== personId && roomIdOf(personId, other) === roomId)
}

import { randomUUID } from 'node:crypto'
import type { Answer, Browser } from '@watchline/testing/browser'
import type { Member } from '../../shared/organisation.ts'

const pageSize = 500

/** What became of the messages of a phase. */
export interface Told {
  acknowledged: number
  /** Acknowledged and not there. */
  lost: number
  doubled: number
  /** Of one sender, not in the order they were sent in. */
  outOfOrder: number
  /** Rooms whose places are not 1, 2, 3, … or not the same for both sides. */
  broken: number
}

export interface Conversation {
  /** The next message of the trainee, or of the supervisor. One at a time each. */
  send(from: 'trainee' | 'supervisor', phase: string): Promise<Answer>
  /** Everything in the room, as both see it, against what was acknowledged. */
  check(into: Record<string, Told>): Promise<void>
}

interface Seen {
  id: string
  seq: number
  sender_id: string
  message: string
}

/** A trainee and their supervisor. What they say tells its phase and its number, so that its order can be checked. */
export function createConversation(trainee: Member, supervisor: Member): Conversation {
  const roomId = [trainee.id, supervisor.id].sort().join('-')
  const said = { trainee: 0, supervisor: 0 }
  /** By text. */
  const acknowledged = new Set<string>()

  return {
    send: async (from, phase) => {
      const [self, other] = from === 'trainee' ? [trainee, supervisor] : [supervisor, trainee]
      said[from] += 1
      const message = `${phase}: ${self.name} ${said[from]}`
      const answer = await self.browser.call('POST', '/chat/send', {
        recipient_id: other.id,
        message,
        chat_type: 'user_supervisor',
        client_id: randomUUID(),
      })
      if (answer.status === 200) acknowledged.add(message)
      return answer
    },
    check: async into => {
      if (acknowledged.size === 0) return
      const [mine, theirs] = [await allOf(trainee.browser, roomId), await allOf(supervisor.browser, roomId)]
      const of = (phase: string) => (into[phase] ??= { acknowledged: 0, lost: 0, doubled: 0, outOfOrder: 0, broken: 0 })
      const times = new Map<string, number>()
      const last = new Map<string, number>()
      for (const { sender_id, message } of mine) {
        times.set(message, (times.get(message) ?? 0) + 1)
        // What was not answered may come late, and so after what was said later.
        if (!acknowledged.has(message)) continue
        const number = Number(message.slice(message.lastIndexOf(' ') + 1))
        if (number < (last.get(sender_id) ?? 0)) of(phaseOf(message)).outOfOrder += 1
        last.set(sender_id, number)
      }
      for (const message of acknowledged) {
        const phase = of(phaseOf(message))
        phase.acknowledged += 1
        const found = times.get(message) ?? 0
        if (found === 0) phase.lost += 1
        if (found > 1) phase.doubled += found - 1
      }
      const whole = mine.every((each, index) => each.seq === index + 1 && each.id === theirs[index]?.id)
      if (!whole || mine.length !== theirs.length) of(phaseOf(mine.at(-1)?.message ?? '')).broken += 1
    },
  }
}

const phaseOf = (message: string) => message.slice(0, message.lastIndexOf(':'))

/** Page by page, from the oldest to the newest. */
async function allOf(browser: Browser, roomId: string): Promise<Seen[]> {
  const pages: Seen[][] = []
  let cursor = ''
  do {
    const { status, json, headers } = await browser.call('GET', `/chat/messages/${roomId}?limit=${pageSize}${cursor}`)
    if (status !== 200) throw new Error(`messages of ${roomId}: ${status}`)
    pages.unshift(json)
    const next = headers['x-next-cursor']
    cursor = typeof next === 'string' ? `&cursor=${encodeURIComponent(next)}` : ''
  } while (cursor)
  return pages.flat()
}

import { randomUUID } from 'node:crypto'
import type { Answer, Browser } from '@watchline/testing/browser'
import type { Member } from '../../shared/organisation.ts'

const pageSize = 500

/** The comparison of acknowledged with visible messages, for one phase. */
export interface MessageCounts {
  acknowledged: number
  /** Acknowledged messages that are not visible. */
  lost: number
  doubled: number
  /** Messages before an earlier one of the same sender. */
  outOfOrder: number
  /** Rooms whose sequence numbers are not 1, 2, 3, …, or that differ between the two sides. */
  broken: number
}

export interface Conversation {
  /** Sends the sender's next message. At most one call a sender at a time. */
  send(from: 'trainee' | 'supervisor', phase: string): Promise<Answer>
  /** Adds the comparison of both sides' view with the acknowledged messages, by phase. */
  check(countsByPhase: Record<string, MessageCounts>): Promise<void>
}

interface VisibleMessage {
  id: string
  seq: number
  sender_id: string
  message: string
}

/**
 * The room of a trainee and their supervisor. A message's text has its phase and number, so that
 * the order can be checked.
 */
export function createConversation(trainee: Member, supervisor: Member): Conversation {
  const roomId = [trainee.id, supervisor.id].sort().join('-')
  const sentCounts = { trainee: 0, supervisor: 0 }
  /** Texts. */
  const acknowledged = new Set<string>()

  return {
    send: async (from, phase) => {
      const [sender, recipient] = from === 'trainee' ? [trainee, supervisor] : [supervisor, trainee]
      sentCounts[from] += 1
      const message = `${phase}: ${sender.name} ${sentCounts[from]}`
      const answer = await sender.browser.call('POST', '/chat/send', {
        recipient_id: recipient.id,
        message,
        chat_type: 'user_supervisor',
        client_id: randomUUID(),
      })
      if (answer.status === 200) acknowledged.add(message)
      return answer
    },
    check: async countsByPhase => {
      if (acknowledged.size === 0) return
      const messages = await readMessages(trainee.browser, roomId)
      const messagesOfSupervisor = await readMessages(supervisor.browser, roomId)
      const countsOf = (text: string) =>
        (countsByPhase[phaseOf(text)] ??= { acknowledged: 0, lost: 0, doubled: 0, outOfOrder: 0, broken: 0 })
      const occurrences = new Map<string, number>()
      const lastNumbers = new Map<string, number>()
      for (const { sender_id, message } of messages) {
        occurrences.set(message, (occurrences.get(message) ?? 0) + 1)
        // An unanswered message may arrive late, after later ones.
        if (!acknowledged.has(message)) continue
        const number = Number(message.slice(message.lastIndexOf(' ') + 1))
        if (number < (lastNumbers.get(sender_id) ?? 0)) countsOf(message).outOfOrder += 1
        lastNumbers.set(sender_id, number)
      }
      for (const message of acknowledged) {
        const counts = countsOf(message)
        counts.acknowledged += 1
        const found = occurrences.get(message) ?? 0
        if (found === 0) counts.lost += 1
        if (found > 1) counts.doubled += found - 1
      }
      const isComplete = messages.every(
        ({ seq, id }, index) => seq === index + 1 && id === messagesOfSupervisor[index]?.id,
      )
      if (!isComplete || messages.length !== messagesOfSupervisor.length)
        countsOf(messages.at(-1)?.message ?? '').broken += 1
    },
  }
}

const phaseOf = (text: string) => text.slice(0, text.lastIndexOf(':'))

/** All messages of a room, oldest first. */
async function readMessages(browser: Browser, roomId: string): Promise<VisibleMessage[]> {
  const pages: VisibleMessage[][] = []
  let cursor = ''
  do {
    const { status, json, headers } = await browser.call('GET', `/chat/messages/${roomId}?limit=${pageSize}${cursor}`)
    if (status !== 200) throw new Error(`messages of ${roomId}: ${status}`)
    pages.unshift(json)
    const nextCursor = headers['x-next-cursor']
    cursor = typeof nextCursor === 'string' ? `&cursor=${encodeURIComponent(nextCursor)}` : ''
  } while (cursor)
  return pages.flat()
}

import type { ChatMessage } from '@watchline/contracts/chat'
import type { Browser } from '@watchline/testing/browser'
import type { Organisation } from '../../shared/organisation.ts'
import type { CallLog } from '../call-log.ts'
import type { ExpectedRecords } from '../expected-records.ts'

const pageSize = 500

/**
 * Checks every room as its two people see it: complete, no duplicates, one order, correct unread
 * count.
 */
export async function checkChat({
  expectedRecords,
  callLog,
  organisation,
}: {
  expectedRecords: ExpectedRecords
  callLog: CallLog
  organisation: Organisation
}): Promise<void> {
  const { director, managers, teams } = organisation
  const people = [director, ...managers, ...teams.flatMap(team => [team.supervisor, ...team.trainees])]
  const unread = new Map<string, number>()

  for (const [roomId, acknowledged] of Map.groupBy(expectedRecords.messages, message => message.roomId)) {
    const pair = people.filter(({ id }) => roomId.split('-').includes(id))
    const [messages, partnerMessages] = await Promise.all(pair.map(person => fetchMessages(person.browser, roomId)))
    if (!messages || !partnerMessages) throw new Error(`the people of room ${roomId} are unknown`)
    if (JSON.stringify(messages) !== JSON.stringify(partnerMessages))
      callLog.reportViolation('message lost', `the two people of ${roomId} see different messages`)
    const gap = messages.findIndex((message, index) => message.seq !== index + 1)
    if (gap >= 0) callLog.reportViolation('message lost', `${roomId} has ${messages[gap]!.seq} at position ${gap + 1}`)
    const byClientId = Map.groupBy(messages, message => `${message.sender_id} ${message.client_id}`)
    for (const { senderId, clientId, text, id, seq } of acknowledged) {
      const found = byClientId.get(`${senderId} ${clientId}`) ?? []
      if (found.length !== 1)
        callLog.reportViolation(found.length ? 'message doubled' : 'message lost', `${roomId}: ${text}`)
      else if (found[0]!.id !== id || found[0]!.seq !== seq || found[0]!.message !== text)
        callLog.reportViolation(
          'message lost',
          `${roomId}: "${text}" (${seq}) is "${found[0]!.message}" (${found[0]!.seq})`,
        )
    }
    for (const { id } of pair) {
      const sentMessages = acknowledged.filter(message => message.senderId === id)
      if (sentMessages.some(({ seq }, index) => index > 0 && seq <= sentMessages[index - 1]!.seq))
        callLog.reportViolation('message out of order', `${roomId}: messages of ${id}`)
      const readUpTo = Math.max(
        0,
        ...expectedRecords.reads.filter(read => read.roomId === roomId && read.personId === id).map(read => read.upTo),
      )
      const unreadCount = messages.filter(({ sender_id, seq }) => sender_id !== id && seq > readUpTo).length
      unread.set(id, (unread.get(id) ?? 0) + unreadCount)
    }
  }
  for (const person of people) {
    const maxUnread = unread.get(person.id)
    if (maxUnread === undefined) continue
    const { json } = await person.browser.call('GET', '/chat/unread-count')
    // An unanswered read may count. An acknowledged read must count.
    if (json.unread_count > maxUnread)
      callLog.reportViolation(
        'read mark lost',
        `${person.name} has ${json.unread_count} unread messages instead of ${maxUnread}`,
      )
  }
}

async function fetchMessages(browser: Browser, roomId: string): Promise<ChatMessage[]> {
  const pages: ChatMessage[][] = []
  let cursor: unknown
  do {
    const cursorParam = typeof cursor === 'string' ? `&cursor=${encodeURIComponent(cursor)}` : ''
    const { status, json, headers } = await browser.call(
      'GET',
      `/chat/messages/${roomId}?limit=${pageSize}${cursorParam}`,
    )
    if (status !== 200) throw new Error(`messages of ${roomId}: ${status} ${JSON.stringify(json)}`)
    pages.unshift(json)
    cursor = headers['x-next-cursor']
  } while (cursor !== undefined)
  return pages.flat()
}

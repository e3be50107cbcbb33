import type { ChatMessage } from '@watchline/contracts/chat'
import { limits } from '@watchline/contracts/limits'
import { forEachConcurrently } from '../../shared/concurrency.ts'
import type { Replicas, Sender } from './senders.ts'

const roomsAtOnce = 16

/** Differences between acknowledged and visible messages. All but `checked` are faults. */
export interface Findings {
  checked: number
  /** Acknowledged messages that are not visible. */
  lost: number
  /** Messages that are visible more than once. */
  doubled: number
  /** Messages before an earlier one of the same sender. */
  outOfOrder: number
  /** Messages whose sequence number, id or text differs from the acknowledgement. */
  different: number
  /** Visible messages that nobody sent. */
  unknown: number
  /** Missing sequence numbers. */
  gaps: number
  /** Rooms that the two sides see differently, each at another replica. */
  sidesDiffer: number
  /** People whose unread count differs from the other person's messages since the read position. */
  wrongUnread: number
}

export function createFindings(): Findings {
  return {
    checked: 0,
    lost: 0,
    doubled: 0,
    outOfOrder: 0,
    different: 0,
    unknown: 0,
    gaps: 0,
    sidesDiffer: 0,
    wrongUnread: 0,
  }
}

export const faultTitles: readonly [string, keyof Findings][] = [
  ['lost', 'lost'],
  ['doubled', 'doubled'],
  ['out of order', 'outOfOrder'],
  ['not as acknowledged', 'different'],
  ['never sent', 'unknown'],
  ['gaps', 'gaps'],
  ['rooms that the two sides see differently', 'sidesDiffer'],
  ['wrong unread counts', 'wrongUnread'],
]

/** Compares the acknowledged messages of every room with both sides' view of it. */
export async function checkRooms(
  senders: readonly (readonly [Sender, Sender])[],
  replicas: Replicas,
): Promise<Findings> {
  const findings = createFindings()
  await forEachConcurrently([...senders.entries()], roomsAtOnce, async ([index, pair]) => {
    const views = await Promise.all(pair.map((sender, side) => readAllMessages(sender, replicas.urlOf(index + side))))
    const [messages, messagesOfPartner] = views as [ChatMessage[], ChatMessage[]]
    if (JSON.stringify(messages) !== JSON.stringify(messagesOfPartner)) findings.sidesDiffer += 1
    findings.gaps += messages.filter(({ seq }, position) => seq !== position + 1).length
    for (const sender of pair) checkSender(sender, messages, findings)
    for (const [side, sender] of pair.entries()) {
      const expected = messages.filter(
        message => message.sender_id !== sender.person.id && message.seq > sender.readSeq,
      ).length
      const url = replicas.urlOf(index + side + 1)
      const answer = await get<{ unread_count: number }>(sender, url, '/unread-count')
      if (answer.json.unread_count !== expected) findings.wrongUnread += 1
    }
  })
  return findings
}

/**
 * Adds the faults of one sender's messages to `findings`. `messages` are the whole room, in its
 * order.
 */
export function checkSender(
  { person, sent }: Pick<Sender, 'person' | 'sent'>,
  messages: readonly ChatMessage[],
  findings: Findings,
) {
  const sentIndexes = new Map(sent.map((message, index) => [message.clientId, index]))
  const found = new Set<number>()
  let latest = -1
  for (const message of messages) {
    if (message.sender_id !== person.id) continue
    const index = sentIndexes.get(message.client_id ?? '')
    if (index === undefined) {
      findings.unknown += 1
      continue
    }
    if (found.has(index)) findings.doubled += 1
    else if (index < latest) findings.outOfOrder += 1
    found.add(index)
    latest = Math.max(latest, index)
    const { acknowledged, text } = sent[index]!
    const isAsAcknowledged = !acknowledged || (acknowledged.id === message.id && acknowledged.seq === message.seq)
    if (message.message !== text || !isAsAcknowledged) findings.different += 1
  }
  for (const [index, { acknowledged }] of sent.entries()) {
    if (!acknowledged) continue
    findings.checked += 1
    if (!found.has(index)) findings.lost += 1
  }
}

async function readAllMessages(sender: Sender, url: string): Promise<ChatMessage[]> {
  const messages: ChatMessage[] = []
  for (let cursor = ''; ; ) {
    const query = `?limit=${limits.pageMax}${cursor && `&cursor=${cursor}`}`
    const page = await get<ChatMessage[]>(sender, url, `/messages/${sender.roomId}${query}`)
    messages.unshift(...page.json)
    cursor = page.headers.get('x-next-cursor') ?? ''
    if (!cursor) return messages
  }
}

async function get<T>({ token }: Sender, url: string, path: string): Promise<{ json: T; headers: Headers }> {
  const answer = await fetch(`${url}/api/chat${path}`, { headers: { authorization: `Bearer ${token}` } })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return { json: (await answer.json()) as T, headers: answer.headers }
}

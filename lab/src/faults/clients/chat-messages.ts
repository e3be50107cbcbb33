import { randomUUID } from 'node:crypto'
import type { ChatType } from '@watchline/contracts/chat'
import type { Member } from '../../shared/organisation.ts'
import type { Lane } from '../call-log.ts'
import { createCaller, type LoadClients, repeatUntilStopped } from './load.ts'

/** Sends messages to one person, one at a time, and reads the replies. */
export async function sendMessages(clients: LoadClients, from: Member, to: Member, chatType: ChatType): Promise<void> {
  const lane: Lane = { area: 'chat', client: `${from.name} to ${to.name}` }
  const call = createCaller(clients, from.browser, lane)
  const { expectedRecords } = clients
  let sentCount = 0
  let roomId: string | undefined

  await repeatUntilStopped(clients, [lane], 800, async () => {
    const clientId = randomUUID()
    sentCount += 1
    const text = `${from.name} ${sentCount} ${clientId}`
    const sent = await call('POST', '/chat/send', {
      recipient_id: to.id,
      message: text,
      chat_type: chatType,
      client_id: clientId,
    })
    if (!sent.acknowledged) return
    const { room_id, message } = sent.json
    roomId = room_id as string
    expectedRecords.messages.push({ roomId, senderId: from.id, clientId, text, id: message.id, seq: message.seq })
    if (sentCount % 3 !== 0) return
    const read = await call('POST', `/chat/mark-read?room_id=${roomId}&up_to=${message.seq}`)
    if (read.acknowledged) expectedRecords.reads.push({ roomId, personId: from.id, upTo: message.seq })
  })
}

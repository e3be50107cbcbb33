import type { ChatMessage } from '@watchline/contracts/chat'
import type { Browser } from '@watchline/testing/browser'
import type { Organisation } from '../../shared/organisation.ts'
import type { CallLog } from '../call-log.ts'
import type { ExpectedRecords } from '../expected-records.ts'

const pageSize = 500

/** Checks every room as its two people see it: complete, no duplicates, one order, correct unread count. */
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

  for (const [roomId, said] of Map.groupBy(expectedRecords.messages, each => each.roomId)) {
    const pair = people.filter(({ id }) => roomId.split('-').includes(id))
    const [all, seenByOther] = await Promise.all(pair.map(each => allMessages(each.browser, roomId)))
    if (!all || !seenByOther) throw new Error(`whose room is ${roomId}?`)
    if (JSON.stringify(all) !== JSON.stringify(seenByOther))
      callLog.violation('message lost', `the two of ${roomId} see different rooms`)
    const gap = all.findIndex((each, index) => each.seq !== index + 1)
    if (gap >= 0) callLog.violation('message lost', `${roomId} has ${all[gap]!.seq} at place ${gap + 1}`)
    const byClientId = Map.groupBy(all, each => `${each.sender_id} ${each.client_id}`)
    for (const { senderId, clientId, text, id, seq } of said) {
      const found = byClientId.get(`${senderId} ${clientId}`) ?? []
      if (found.length !== 1) callLog.violation(found.length ? 'message doubled' : 'message lost', `${roomId}: ${text}`)
      else if (found[0]!.id !== id || found[0]!.seq !== seq || found[0]!.message !== text)
        callLog.violation('message lost', `${roomId}: "${text}" (${seq}) is "${found[0]!.message}" (${found[0]!.seq})`)
    }
    for (const { id } of pair) {
      const own = said.filter(each => each.senderId === id)
      if (own.some((each, index) => index > 0 && each.seq <= own[index - 1]!.seq))
        callLog.violation('message out of order', `${roomId}: what ${id} said one after the other`)
      const read = Math.max(
        0,
        ...expectedRecords.reads.filter(each => each.roomId === roomId && each.personId === id).map(each => each.upTo),
      )
      const left = all.filter(each => each.sender_id !== id && each.seq > read).length
      unread.set(id, (unread.get(id) ?? 0) + left)
    }
  }
  for (const person of people) {
    const most = unread.get(person.id)
    if (most === undefined) continue
    const { json } = await person.browser.call('GET', '/chat/unread-count')
    // An unanswered read may count. An acknowledged read must count.
    if (json.unread_count > most)
      callLog.violation('reading lost', `${person.name} has ${json.unread_count} unread messages instead of ${most}`)
  }
}

async function allMessages(browser: Browser, roomId: string): Promise<ChatMessage[]> {
  const pages: ChatMessage[][] = []
  let cursor: unknown
  do {
    const more = typeof cursor === 'string' ? `&cursor=${encodeURIComponent(cursor)}` : ''
    const { status, json, headers } = await browser.call('GET', `/chat/messages/${roomId}?limit=${pageSize}${more}`)
    if (status !== 200) throw new Error(`messages of ${roomId}: ${status} ${JSON.stringify(json)}`)
    pages.unshift(json)
    cursor = headers['x-next-cursor']
  } while (cursor !== undefined)
  return pages.flat()
}

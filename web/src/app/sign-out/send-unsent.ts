import { beforeSignOut, prepareSignOut } from '../../api/before-sign-out.ts'
import { unsentMessagePrefix } from '../../features/chat/outbox/message-storage-key.ts'
import { countUnsentCalls, openUnsentCallsForSignOut } from '../unsent-calls.ts'

/**
 * Sends what waits in this browser while the person is still signed in. Returns how many entries
 * could not be sent; they stay in this browser.
 */
export async function sendUnsent(personId: string): Promise<number> {
  await prepareSignOut()
  if ((await countUnsentCalls(personId)) > 0) await sendCalls(personId)
  return (await countUnsentCalls(personId)) + countMessages(personId)
}

/** Without a session on the screen nobody else sends them in time. */
async function sendCalls(personId: string): Promise<void> {
  const calls = openUnsentCallsForSignOut(personId)
  const remove = beforeSignOut(calls.flush)
  await prepareSignOut()
  remove()
  calls.close()
}

function countMessages(personId: string): number {
  try {
    const prefix = `${unsentMessagePrefix}${personId}.`
    return Object.keys(window.localStorage).filter(key => key.startsWith(prefix)).length
  } catch {
    return 0
  }
}

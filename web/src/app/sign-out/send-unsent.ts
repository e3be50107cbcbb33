import { beforeSignOut, prepareSignOut } from '../../api/before-sign-out.ts'
import { unsentMessagePrefix } from '../../features/chat/outbox/message-storage-key.ts'
import { createPlayerOutbox } from '../../features/player/outbox/player-outbox.ts'
import { playerApi } from '../../features/player/player-api.ts'
import { countCallsOf } from '../../outbox/database-storage.ts'

/**
 * Sends what waits in this browser while the person is still signed in. Returns how many entries
 * could not be sent; they stay in this browser.
 */
export async function sendUnsent(personId: string): Promise<number> {
  await prepareSignOut()
  if ((await countCalls(personId)) > 0) await sendCalls(personId)
  return (await countCalls(personId)) + countMessages(personId)
}

/** Without a player on the screen nobody else sends them. */
async function sendCalls(personId: string): Promise<void> {
  const locks = navigator.locks as LockManager | undefined
  const outbox = createPlayerOutbox({ personId, api: playerApi, locks })
  const remove = beforeSignOut(outbox.flush)
  await prepareSignOut()
  remove()
  outbox.close()
}

/** Without a database in this browser nothing waits there. */
function countCalls(personId: string): Promise<number> {
  return countCallsOf(personId).catch(() => 0)
}

function countMessages(personId: string): number {
  try {
    const prefix = `${unsentMessagePrefix}${personId}.`
    return Object.keys(window.localStorage).filter(key => key.startsWith(prefix)).length
  } catch {
    return 0
  }
}

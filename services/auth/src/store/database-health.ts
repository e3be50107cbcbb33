import type { Connection } from 'mongoose'

/** True if the database answers a ping within `timeoutMs`. */
export async function isDatabaseResponding(connection: Pick<Connection, 'db'>, timeoutMs = 1_000): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<boolean>(resolve => {
    timer = setTimeout(() => resolve(false), timeoutMs)
  })
  const ping = connection.db?.command({ ping: 1 }).then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([ping ?? false, timeout])
  } finally {
    clearTimeout(timer)
  }
}

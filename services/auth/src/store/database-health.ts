import type { Connection } from 'mongoose'

/** Whether the database answers within `limitMs`; a connection that hangs is as good as none. */
export async function isDatabaseResponding(connection: Pick<Connection, 'db'>, limitMs = 1_000): Promise<boolean> {
  let limit: NodeJS.Timeout | undefined
  const tooLate = new Promise<boolean>(resolve => {
    limit = setTimeout(() => resolve(false), limitMs)
  })
  const ping = connection.db?.command({ ping: 1 }).then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([ping ?? false, tooLate])
  } finally {
    clearTimeout(limit)
  }
}

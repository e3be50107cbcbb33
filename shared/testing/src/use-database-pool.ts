// Jest runs this before each test file. The worlds of the file use the same databases, which are
// dropped at its end.
import { afterAll } from '@jest/globals'
import { databasePool } from './database-pool.ts'

databasePool.isOpen = true

afterAll(async () => {
  databasePool.isOpen = false
  if (databasePool.prefixes.length === 0) return
  // Only files with a world load the driver.
  const { default: mongoose } = await import('mongoose')
  const { serverUrl } = await import('./harness.ts')
  const { dropDatabases } = await import('./test-databases.ts')
  const client = new mongoose.mongo.MongoClient(serverUrl('MONGO_URL'))
  for (const prefix of databasePool.prefixes.splice(0)) await dropDatabases(client, prefix)
  await client.close()
})

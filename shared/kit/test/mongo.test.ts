import { afterEach, expect, test } from '@jest/globals'
import { createDatabase, openDatabase } from '@watchline/kit/mongo'
import { serverUrl } from '@watchline/kit/test-harness'
import { openWire, uniqueName } from './servers.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

test('a connection that carries nothing any more is given up, and the next call goes over another', async () => {
  const wire = await openWire(serverUrl('MONGO_URL'))
  undo.push(() => wire.close())
  const url = new URL(wire.url)
  url.searchParams.delete('replicaSet')
  url.searchParams.set('directConnection', 'true')
  const connection = createDatabase()
  undo.push(() => connection.close())
  await openDatabase(connection, url.href, uniqueName())
  const ask = () => connection.db!.command({ ping: 1 })
  await ask()

  wire.freeze()
  // Without the driver's monitor this would wait for ever.
  await expect(ask()).rejects.toThrow()
  wire.mend()
  await ask()
}, 30_000)

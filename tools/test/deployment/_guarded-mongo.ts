import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@watchline/kit/core/free-port'
import mongoose from 'mongoose'
import { startGuarded } from '../../src/provision/guard.ts'
import { findMongod } from '../../src/provision/mongod-binary.ts'
import { cacheFolder } from '../../src/provision/paths.ts'
import { until } from '../../src/provision/wait.ts'

/**
 * A MongoDB like its image after the first start: with access control, with the user root only, and
 * not yet a replica set.
 */
export async function startMongoWithAccessControl(
  folder: string,
  secrets: { rootPassword: string; keyFile: string; tls?: { caFile: string; pemFile: string } },
) {
  const found = await findMongod(cacheFolder(), line => console.error(line))
  if (!('path' in found)) throw new Error(found.reasons.join('\n'))
  const dbPath = join(folder, 'db')
  mkdirSync(dbPath, { recursive: true })
  const keyFile = join(folder, 'keyfile')
  writeFileSync(keyFile, secrets.keyFile)
  chmodSync(keyFile, 0o400)
  const port = await freePort()
  const common = ['--bind_ip', '127.0.0.1', '--port', String(port), '--dbpath', dbPath, '--nounixsocket', '--quiet']
  const start = (...args: string[]) =>
    startGuarded({
      command: found.path,
      args: [...common, '--wiredTigerCacheSizeGB', '0.25', ...args],
      logFile: join(folder, 'mongod.log'),
    })

  const first = start()
  const url = `mongodb://127.0.0.1:${port}/?directConnection=true&serverSelectionTimeoutMS=10000`
  await until(
    async () => {
      const client = await mongoose.mongo.MongoClient.connect(url)
      await client
        .db('admin')
        .command({ createUser: 'root', pwd: secrets.rootPassword, roles: ['root'] })
        .finally(() => client.close())
      return true
    },
    { condition: 'MongoDB has created its root user', limitMs: 5 * 60_000, stopReason: first.endReason },
  )
  await first.stop()
  const { tls } = secrets
  const tlsSettings = tls
    ? ['--tlsMode', 'requireTLS', '--tlsCertificateKeyFile', tls.pemFile, '--tlsCAFile', tls.caFile]
    : []
  const server = start(
    ...['--replSet', 'rs0', '--keyFile', keyFile, ...tlsSettings],
    ...(tls ? ['--tlsAllowConnectionsWithoutCertificates'] : []),
  )
  return { host: `127.0.0.1:${port}`, stop: () => server.stop() }
}

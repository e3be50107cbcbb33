// Provisions MongoDB in a folder, prints its URL, and runs it until SIGTERM.
import { provisionMongo } from '../src/provision/mongo.ts'
import { cacheFolder } from '../src/provision/paths.ts'

const [dataDir = '', mode] = process.argv.slice(2)
const mongo = await provisionMongo({
  dataDir,
  cacheDir: cacheFolder(),
  withoutPassword: mode === 'without-password',
  log: line => console.error(line),
})
console.log(mongo.url)
process.on('SIGTERM', () => mongo.stop().then(() => process.exit(0)))

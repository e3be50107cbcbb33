// Says one of the development secrets of the folder given.
import { developmentSecrets } from '../src/start/secrets.ts'

const [dataDir = ''] = process.argv.slice(2)
console.log(developmentSecrets(dataDir, {}).INTERNAL_SECRET)

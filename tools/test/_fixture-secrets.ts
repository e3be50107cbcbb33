// Prints one of the development secrets of a folder.
import { developmentSecrets } from '../src/start/secrets.ts'

const [dataDir = ''] = process.argv.slice(2)
console.log(developmentSecrets(dataDir, {}).REFRESH_SECRET)

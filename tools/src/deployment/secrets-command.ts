// `npm run secrets -- <folder> [<namespace>]`: new secrets, a file each, for docker-compose.yml; with a namespace for Kubernetes.
import { resolve } from 'node:path'
import { filledInByHand, writeSecretFiles } from './secret-files.ts'

const [folder, namespace, ...rest] = process.argv.slice(2)
if (!folder || rest.length > 0) {
  console.error('usage: npm run secrets -- <folder> [<namespace of a cluster>]')
  process.exit(2)
}
try {
  const names = writeSecretFiles(resolve(folder), namespace && `${namespace}.svc`)
  console.log(`${names.length} secrets are in ${folder}. Keep a copy of the folder in a safe place, and out of Git.`)
  console.log(`Yours to fill in, or to leave empty: ${filledInByHand.map(name => `${folder}/${name}`).join(', ')}`)
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}

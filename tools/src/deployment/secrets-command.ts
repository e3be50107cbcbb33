// `npm run secrets -- <folder> [<namespace>]`: writes new secrets, one file each. Without a
// namespace they are for docker-compose.yml, with one for Kubernetes.
import { resolve } from 'node:path'
import { filledInByHand, writeSecretFiles } from './secret-files.ts'

const [folder, namespace, ...extra] = process.argv.slice(2)
if (!folder || extra.length > 0) {
  console.error('usage: npm run secrets -- <folder> [<namespace of a cluster>]')
  process.exit(2)
}
try {
  const names = writeSecretFiles(resolve(folder), namespace && `${namespace}.svc`)
  console.log(`${names.length} secrets are in ${folder}. Keep a copy in a safe place, and keep the folder out of Git.`)
  console.log(`Fill in, or leave empty: ${filledInByHand.map(name => `${folder}/${name}`).join(', ')}`)
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}

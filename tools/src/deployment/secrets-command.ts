// `npm run secrets -- <folder> [<namespace>]`: writes new secrets, one file each, or those that an
// older version did not have. Without a namespace they are for docker-compose.yml, with one for Kubernetes.
import { resolve } from 'node:path'
import { filledInByHand, writeSecretFiles } from './secret-files.ts'

const [folder, namespace, ...extra] = process.argv.slice(2)
if (!folder || extra.length > 0) {
  console.error('usage: npm run secrets -- <folder> [<namespace of a cluster>]')
  process.exit(2)
}
try {
  const names = writeSecretFiles(resolve(folder), namespace && `${namespace}.svc`)
  console.log(
    `${names.length} new secrets are in ${folder}. Keep a copy in a safe place, and keep the folder out of Git.`,
  )
  const toFillIn = filledInByHand.filter(name => names.includes(name)).map(name => `${folder}/${name}`)
  if (toFillIn.length > 0) console.log(`Fill in, or leave empty: ${toFillIn.join(', ')}`)
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}

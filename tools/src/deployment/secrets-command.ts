// `npm run secrets -- <folder> [<namespace>]`: writes new secrets, one file each, or those that an
// older version did not have. Without a namespace they are for docker-compose.yml, with one for
// Kubernetes.
// `npm run secrets -- renew <folder>`: issues new certificates.
// `npm run secrets -- tls <folder>`: makes the addresses of the bundled stores use TLS, in a folder
// of an older version.
// `npm run secrets -- next | switch | finish <folder> [<name> …]`: a step of a rotation.
import { resolve } from 'node:path'
import { certificateDays } from './certificates.ts'
import {
  filledInByHand,
  renewStoredCertificates,
  rotateStoredSecrets,
  secureStoredAddresses,
  writeSecretFiles,
} from './secret-files.ts'
import { type RotationStep, rotationNames, rotationSteps } from './secret-rotation.ts'

const usage = `usage: npm run secrets -- <folder> [<namespace of a cluster>]
       npm run secrets -- renew | tls <folder>
       npm run secrets -- ${rotationSteps.join(' | ')} <folder, or secrets.json of a data folder> [${rotationNames.join(' | ')}]`

const nextTask: Record<RotationStep, string> = {
  next: 'Restart the processes one after the other, then run the step "switch".',
  switch:
    'Restart the processes one after the other. docs/operations.md says how long to wait before the step "finish".',
  finish: 'Restart the processes one after the other. Then the previous values are no longer valid.',
}
const isCommand = (word: string) => isStep(word) || word === 'renew' || word === 'tls'
const isStep = (word: string | undefined): word is RotationStep => (rotationSteps as readonly unknown[]).includes(word)

const [first, ...others] = process.argv.slice(2)
try {
  if (isStep(first) && others[0]) await rotate(first, others[0], others.slice(1))
  else if (first === 'renew' && others.length === 1) await renew(others[0]!)
  else if (first === 'tls' && others.length === 1) secure(others[0]!)
  else if (first && !isCommand(first) && others.length <= 1) await create(first, others[0])
  else {
    console.error(usage)
    process.exitCode = 2
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}

async function create(folder: string, namespace: string | undefined) {
  const names = await writeSecretFiles(resolve(folder), namespace && `${namespace}.svc`)
  console.log(
    `${names.length} new secrets are in ${folder}. Keep a copy in a safe place, and keep the folder out of Git.`,
  )
  const toFillIn = filledInByHand.filter(name => names.includes(name)).map(name => `${folder}/${name}`)
  if (toFillIn.length > 0) console.log(`Fill in, or leave empty: ${toFillIn.join(', ')}`)
}

async function renew(folder: string) {
  const names = await renewStoredCertificates(resolve(folder))
  console.log(`Renewed in ${folder}, for ${certificateDays} days: ${names.sort().join(', ')}`)
  console.log('docs/keys.md says how processes and stores get them.')
}

function secure(folder: string) {
  const names = secureStoredAddresses(resolve(folder))
  console.log(`Addresses that use TLS now in ${folder}: ${names.join(', ') || 'no others'}`)
}

async function rotate(step: RotationStep, storePath: string, names: readonly string[]) {
  const changed = await rotateStoredSecrets(resolve(storePath), step, names.length > 0 ? names : undefined)
  console.log(`Changed in ${storePath}: ${changed.join(', ') || 'nothing'}`)
  if (changed.length > 0) console.log(nextTask[step])
}

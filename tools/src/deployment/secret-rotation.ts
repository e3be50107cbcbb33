import { serviceNames } from '@watchline/contracts/operation'
import {
  generatePrivateKey,
  generateRecordKey,
  generateSecret,
  hmacSecretNames,
  publicKeyLines,
  publicKeyOf,
} from '../start/secrets.ts'
import { authorityRotation } from './tls-files.ts'

/** Secrets by the name of their file, which is the setting's name in lower case. */
export type NamedSecrets = Readonly<Record<string, string>>

/**
 * The steps of a rotation. After each, every process that reads the secret is restarted.
 * `next`: a new value is valid beside the current one. `switch`: the new one signs, both are valid.
 * `finish`: only the new one is valid.
 */
export const rotationSteps = ['next', 'switch', 'finish'] as const
export type RotationStep = (typeof rotationSteps)[number]

type Rotation = Readonly<Record<RotationStep, (secrets: NamedSecrets) => NamedSecrets | Promise<NamedSecrets>>>

/** The value that the next step puts into use. Its file tells how far a rotation is. */
const nextOf = (name: string) => `${name}_next`

const rotations: Readonly<Record<string, Rotation>> = {
  token_key: rotateKeys(
    () => ['token_private_key'],
    'token_public_key',
    (_name, privateKey) => publicKeyOf(privateKey),
  ),
  internal_keys: rotateKeys(
    secrets => Object.keys(secrets).filter(name => /^internal_private_key(_[a-z-]+)?$/.test(name) && !isNext(name)),
    'internal_public_keys',
    (name, privateKey) => publicKeyLines(privateKey, servicesOf(name)),
  ),
  record_key: rotateRecordKey('record_private_key'),
  tls_authority: authorityRotation,
  ...Object.fromEntries(hmacSecretNames.map(name => [name.toLowerCase(), rotateList(name.toLowerCase())])),
}

/** The names that {@link rotateSecrets} accepts. */
export const rotationNames = Object.keys(rotations)

/**
 * A step without names rotates these. The authority is not among them, because it needs restarts of
 * the stores, too: otherwise connections to them fail after the last step.
 */
const namesByDefault = rotationNames.filter(name => name !== 'tls_authority')

/** The secrets that one step changes, with undefined for those that it removes. */
export async function rotateSecrets(
  secrets: NamedSecrets,
  step: RotationStep,
  selected: readonly string[] = namesByDefault,
): Promise<Record<string, string | undefined>> {
  let changed = secrets
  for (const name of selected) {
    const rotation = rotations[name]
    if (!rotation) throw new Error(`${name} cannot be rotated here, accepted are ${rotationNames.join(', ')}`)
    changed = await rotation[step](changed)
  }
  const names = new Set([...Object.keys(secrets), ...Object.keys(changed)])
  return Object.fromEntries(
    [...names].filter(name => changed[name] !== secrets[name]).map(name => [name, changed[name]]),
  )
}

/** Private keys, and one file with the public keys of all of them. */
function rotateKeys(
  privateNames: (secrets: NamedSecrets) => string[],
  publicName: string,
  publicKeyFor: (name: string, privateKey: string) => string,
): Rotation {
  const publicKeys = (secrets: NamedSecrets, ...chosen: string[]) =>
    chosen.map(name => publicKeyFor(withoutNext(name), required(secrets, name))).join('')
  return {
    next: secrets => {
      const names = privateNames(secrets)
      for (const name of names) refuseStarted(secrets, name)
      const added = { ...secrets, ...Object.fromEntries(names.map(name => [nextOf(name), generatePrivateKey()])) }
      const publicValue = `${withLineBreak(required(secrets, publicName))}${publicKeys(added, ...names.map(nextOf))}`
      return { ...added, [publicName]: publicValue }
    },
    switch: secrets => {
      const switched = { ...secrets }
      for (const name of privateNames(secrets)) {
        switched[name] = requiredNext(secrets, name)
        delete switched[nextOf(name)]
      }
      return switched
    },
    finish: secrets => {
      const names = privateNames(secrets)
      for (const name of names) refuseStarted(secrets, name)
      return { ...secrets, [publicName]: publicKeys(secrets, ...names) }
    },
  }
}

/**
 * Only the private key: engagement keeps the public keys of all records. Older folders have none.
 */
function rotateRecordKey(name: string): Rotation {
  const ifPresent = (step: (secrets: NamedSecrets) => NamedSecrets) => (secrets: NamedSecrets) =>
    secrets[name] ? step(secrets) : secrets
  return {
    next: ifPresent(secrets => {
      refuseStarted(secrets, name)
      return { ...secrets, [nextOf(name)]: generateRecordKey() }
    }),
    switch: ifPresent(secrets => {
      const { [nextOf(name)]: _, ...switched } = secrets
      return { ...switched, [name]: requiredNext(secrets, name) }
    }),
    finish: ifPresent(secrets => {
      refuseStarted(secrets, name)
      return secrets
    }),
  }
}

/** One file with the valid values, one a line, the current one first. */
function rotateList(name: string): Rotation {
  const linesOf = (secrets: NamedSecrets) => required(secrets, name).split(/\r?\n/).filter(Boolean)
  return {
    next: secrets => {
      refuseStarted(secrets, name)
      const value = generateSecret()
      return { ...secrets, [nextOf(name)]: value, [name]: [...linesOf(secrets), value].join('\n') }
    },
    switch: secrets => {
      const value = requiredNext(secrets, name)
      const others = linesOf(secrets).filter(line => line !== value)
      const { [nextOf(name)]: _, ...switched } = secrets
      return { ...switched, [name]: [value, ...others].join('\n') }
    },
    finish: secrets => {
      refuseStarted(secrets, name)
      return { ...secrets, [name]: linesOf(secrets)[0]! }
    },
  }
}

const isNext = (name: string) => name.endsWith('_next')
const withoutNext = (name: string) => name.replace(/_next$/, '')
const withLineBreak = (text: string) => (text.endsWith('\n') ? text : `${text}\n`)

/** A development instance has one internal key for all services. */
function servicesOf(name: string): readonly string[] {
  const service = name.slice('internal_private_key_'.length)
  return service ? [service] : serviceNames
}

function required(secrets: NamedSecrets, name: string): string {
  const value = secrets[name]
  if (!value) throw new Error(`${name} is missing or empty`)
  return value
}

function requiredNext(secrets: NamedSecrets, name: string): string {
  if (!secrets[nextOf(name)]) throw new Error(`${name} has no next value. Begin with the step "next".`)
  return required(secrets, nextOf(name))
}

function refuseStarted(secrets: NamedSecrets, name: string) {
  if (secrets[nextOf(name)]) throw new Error(`${name} has a next value already. Continue with the step "switch".`)
}

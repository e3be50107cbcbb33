import { serviceNames } from '@watchline/contracts/operation'
import { authoritiesIn, createAuthority, issueCertificate, type KeyPair, namesOf } from './certificates.ts'

type Files = Readonly<Record<string, string>>

/** The authorities that every process trusts. Operators may add those of stores of their own. */
export const authorityFile = 'tls_ca'
/**
 * In a folder of its own, which `kubectl create secret --from-file` leaves out. No process needs
 * it.
 */
export const authorityKeyFile = 'authority/tls_ca_key'
/** MongoDB wants certificate and key in one file. */
const mongoFile = 'tls_pem_mongodb'
/** The name that Prometheus expects, because it reaches replicas by their addresses. */
export const metricsName = 'watchline-metrics'

const processes = ['gateway', ...serviceNames] as const
const stores = ['mongodb', 'rabbitmq', 'redis'] as const
type Server = (typeof processes)[number] | (typeof stores)[number]

/** A new authority, and a certificate for each process and each bundled store, by file name. */
export async function createTlsFiles(domain?: string): Promise<Record<string, string>> {
  const authority = await createAuthority()
  const certificates = [...processes, ...stores].map(async server =>
    filesOf(server, await issueCertificate(authority, serverNames(server, domain))),
  )
  return Object.assign(
    { [authorityFile]: authority.cert, [authorityKeyFile]: authority.key },
    ...(await Promise.all(certificates)),
  )
}

function serverNames(server: Server, domain: string | undefined): [string, ...string[]] {
  const isStore = (stores as readonly string[]).includes(server)
  const inCluster = domain ? [`${server}.${domain}`, ...(isStore ? [`${server}-0`] : [])] : []
  return [server, ...inCluster, ...(isStore ? [] : [metricsName])]
}

function filesOf(server: string, { cert, key }: KeyPair): Record<string, string> {
  return server === 'mongodb'
    ? { [mongoFile]: `${cert}${key}` }
    : { [`tls_cert_${server}`]: cert, [`tls_key_${server}`]: key }
}

/** New certificates of the current authority, for the names of the present ones. */
export async function renewCertificates(files: Files): Promise<Record<string, string>> {
  const key = files[authorityKeyFile]
  if (!key) throw new Error(`${authorityKeyFile} is missing. Put it back from its safe place, then repeat.`)
  const authority = authoritiesIn(files[authorityFile] ?? '').find(({ isOf }) => isOf(key))
  if (!authority) throw new Error(`${authorityFile} has no certificate for ${authorityKeyFile}`)
  const renewed = Object.entries(files)
    .filter(([name]) => name === mongoFile || name.startsWith('tls_cert_'))
    .map(async ([name, cert]) => {
      const server = name.replace(/^tls_(cert|pem)_/, '')
      return filesOf(server, await issueCertificate({ cert: authority.pem, key }, namesOf(cert)))
    })
  return Object.assign({}, ...(await Promise.all(renewed)))
}

const nextKeyFile = `${authorityKeyFile}_next`

/** The three steps that replace the authority. Folders without one stay as they are. */
export const authorityRotation = {
  next: ifPresent(async files => {
    if (files[nextKeyFile])
      throw new Error(`${authorityFile} has a next value already. Continue with the step "switch".`)
    const { cert, key } = await createAuthority()
    return { ...files, [authorityFile]: `${files[authorityFile]!.trimEnd()}\n${cert}`, [nextKeyFile]: key }
  }),
  switch: ifPresent(async files => {
    const { [nextKeyFile]: key, ...others } = files
    if (!key) throw new Error(`${authorityFile} has no next value. Begin with the step "next".`)
    const switched = { ...others, [authorityKeyFile]: key }
    return { ...switched, ...(await renewCertificates(switched)) }
  }),
  finish: ifPresent(async files => {
    if (files[nextKeyFile])
      throw new Error(`${authorityFile} has a next value already. Continue with the step "switch".`)
    const current = authoritiesIn(files[authorityFile]!).filter(
      ({ isOwn, isOf }) => !isOwn || isOf(files[authorityKeyFile]!),
    )
    return { ...files, [authorityFile]: current.map(({ pem }) => pem).join('') }
  }),
}

function ifPresent(step: (files: Files) => Promise<Files>): (files: Files) => Promise<Files> {
  return async files => (files[authorityFile] && files[authorityKeyFile] ? step(files) : files)
}

/** Addresses of bundled stores that an older version wrote, changed to use TLS. */
export function secureAddresses(files: Files): Record<string, string> {
  const changes: Record<string, string> = {}
  for (const [name, address] of Object.entries(files)) {
    if (!/^(mongo|amqp|redis)_url_/.test(name)) continue
    const secured = address
      .replace(/^amqp:(\/\/[^/]*@rabbitmq[\w.-]*):5672/, 'amqps:$1:5671')
      .replace(/^redis:(\/\/[^/]*@redis[\w.-]*:6379)/, 'rediss:$1')
      .replace(/^mongodb:\/\/[^/]*@mongodb[\w.-]*:27017\/\?(?!.*\btls=).*$/, '$&&tls=true')
    if (secured !== address) changes[name] = secured
  }
  return changes
}

import { X509Certificate as Certificate, createPrivateKey, type KeyObject, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
// The next import needs it.
import 'reflect-metadata'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

/** A certificate and its private key, in PEM. */
export interface KeyPair {
  cert: string
  key: string
}

/** Ten years: replacing an authority takes three steps, so it lives long. */
const authorityDays = 3650
/** Somewhat more than a year, so that a yearly task has a month of grace. */
export const certificateDays = 398
const authorityName = 'CN=Watchline authority'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

export async function createAuthority(now = new Date()): Promise<KeyPair> {
  const keys = await generateKeys()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: authorityName,
    keys,
    signingAlgorithm: algorithm,
    ...validity(now, authorityDays),
    extensions: [
      // Its certificates cannot sign others.
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { cert: `${certificate.toString('pem')}\n`, key: await privatePem(keys.privateKey) }
}

/** A certificate for a server with these host names and IP addresses. The first is its subject. */
export async function issueCertificate(
  authority: KeyPair,
  names: readonly [string, ...string[]],
  now = new Date(),
): Promise<KeyPair> {
  const keys = await generateKeys()
  const issuer = new X509Certificate(authority.cert)
  const certificate = await X509CertificateGenerator.create({
    subject: [{ CN: [names[0]] }],
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: await importPrivateKey(authority.key),
    signingAlgorithm: algorithm,
    ...validity(now, certificateDays),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      // Tells authorities of the same name apart, while one replaces another.
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      // A member of a MongoDB replica set also connects to itself, as a client.
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
      new SubjectAlternativeNameExtension(
        names.map(name => ({ type: isIP(name) ? ('ip' as const) : ('dns' as const), value: name })),
      ),
    ],
  })
  return { cert: `${certificate.toString('pem')}\n`, key: await privatePem(keys.privateKey) }
}

/** The host names and IP addresses of a certificate. */
export function namesOf(cert: string): [string, ...string[]] {
  const names = (new Certificate(cert).subjectAltName ?? '').split(', ').map(name => name.replace(/^[^:]+:/, ''))
  return names as [string, ...string[]]
}

/** The authorities in a file that may also hold foreign ones. */
export function authoritiesIn(pem: string): { pem: string; isOwn: boolean; isOf(key: string): boolean }[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g) ?? []
  return blocks.map(block => {
    const certificate = new Certificate(block)
    return {
      pem: block,
      isOwn: certificate.subject === authorityName,
      isOf: key => certificate.checkPrivateKey(createPrivateKey(key)),
    }
  })
}

function validity(now: Date, days: number): { notBefore: Date; notAfter: Date } {
  // Clocks of machines differ.
  const notBefore = new Date(now.getTime() - 3600_000)
  return { notBefore, notAfter: new Date(now.getTime() + days * 24 * 3600_000) }
}

function generateKeys() {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
}

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  return `${PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), PemConverter.PrivateKeyTag)}\n`
}

function importPrivateKey(pem: string): Promise<webcrypto.CryptoKey> {
  const key: KeyObject = createPrivateKey(pem)
  return webcrypto.subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), algorithm, false, ['sign'])
}

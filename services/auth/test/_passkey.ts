import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

interface CreationOptions {
  challenge: string
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const base64url = (data: string | Buffer) => Buffer.from(data).toString('base64url')

/** A passkey in software (ES256, no attestation). Tests spoil its answers through the options. */
export function createPasskey(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(16)
  let counter = 0

  function authenticatorData({ rpId = new URL(origin).hostname, isVerified = true }, attested = Buffer.alloc(0)) {
    const flags = 0x01 | (isVerified ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, attested])
  }

  const clientData = (type: string, challenge: string, from = origin) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }))

  const answer = (response: Record<string, unknown>) => ({
    id: base64url(id),
    rawId: base64url(id),
    type: 'public-key',
    response,
    clientExtensionResults: {},
  })

  return {
    /** Registers it: the answer to `navigator.credentials.create`. */
    register: ({ challenge }: CreationOptions, faults: { origin?: string; isVerified?: boolean } = {}) => {
      // The COSE key {1: 2, 3: -7, -1: 1, -2: x, -3: y} in CBOR.
      const coseKey = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x!, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y!, 'base64url'),
      ])
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey])
      const data = authenticatorData(faults, attested)
      // {"fmt": "none", "attStmt": {}, "authData": data} in CBOR.
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        Buffer.from('\x63fmt\x64none\x67attStmt', 'latin1'),
        Buffer.from([0xa0]),
        Buffer.from('\x68authData', 'latin1'),
        Buffer.from([0x58, data.length]),
        data,
      ])
      return answer({
        clientDataJSON: base64url(clientData('webauthn.create', challenge, faults.origin)),
        attestationObject: base64url(attestationObject),
        transports: ['internal'],
      })
    },

    /** Signs in with it: the answer to `navigator.credentials.get`. */
    sign: (
      { challenge }: CreationOptions,
      faults: { origin?: string; rpId?: string; isVerified?: boolean; counter?: number } = {},
    ) => {
      counter = faults.counter ?? counter + 1
      const data = authenticatorData(faults)
      const json = clientData('webauthn.get', challenge, faults.origin)
      const signature = sign('sha256', Buffer.concat([data, sha256(json)]), privateKey)
      return answer({
        clientDataJSON: base64url(json),
        authenticatorData: base64url(data),
        signature: base64url(signature),
        userHandle: base64url('somebody'),
      })
    },
  }
}

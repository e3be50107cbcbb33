import { isRequiredMailKind, type MailKind, mailKind } from '@watchline/contracts/mail'
import { createHmacSigner } from '@watchline/kit/core/hmac-signer'

/** A token permits to end one kind of optional mail for one person. */
export interface Unsubscription {
  personId: string
  kind: MailKind
}

const textOfUnsubscription = (personId: string, kind: MailKind) => `unsubscribe:${personId}:${kind}`
const textOfEnvelopeId = (mailId: string) => `delivery report:${mailId}`

export function signUnsubscription({ personId, kind }: Unsubscription, key: string): string {
  return `${personId}.${kind}.${createHmacSigner([key]).sign(textOfUnsubscription(personId, kind))}`
}

/** Undefined unless the key signed the token, and for kinds that nobody can end. */
export function readUnsubscription(token: string, key: string): Unsubscription | undefined {
  const [personId = '', kindName, signature = '', ...others] = token.split('.')
  const kind = mailKind.safeParse(kindName)
  if (!kind.success || isRequiredMailKind(kind.data) || others.length > 0) return undefined
  const isValid = createHmacSigner([key]).matches(textOfUnsubscription(personId, kind.data), signature)
  return isValid ? { personId, kind: kind.data } : undefined
}

/**
 * The ENVID of a mail. Only servers see it, and the signature keeps others from forging reports.
 */
export function signEnvelopeId(mailId: string, key: string): string {
  return `${mailId}.${createHmacSigner([key]).sign(textOfEnvelopeId(mailId))}`
}

/** The id of the mail; undefined unless the key signed it. */
export function readEnvelopeId(envelopeId: string, key: string): string | undefined {
  const [mailId = '', signature = ''] = envelopeId.split('.')
  return createHmacSigner([key]).matches(textOfEnvelopeId(mailId), signature) ? mailId : undefined
}

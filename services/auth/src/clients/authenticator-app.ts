import { Secret, TOTP } from 'otpauth'

const periodS = 30
/** Clocks differ, and people need some seconds to type. */
const window = 1

function totp(secret: string, label = ''): TOTP {
  return new TOTP({ issuer: 'Watchline', label, secret, digits: 6, period: periodS })
}

/** A new secret, and the address with which an app adds it. */
export function createTotpSecret(email: string): { secret: string; uri: string } {
  const secret = new Secret({ size: 20 }).base32
  return { secret, uri: totp(secret, email).toString() }
}

/** The time step of a code, one before or after now at most; undefined for a wrong code. */
export function findTotpStep(secret: string, code: string, now: number): number | undefined {
  const token = code.replace(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return undefined
  const delta = totp(secret).validate({ token, window, timestamp: now })
  return delta === null ? undefined : Math.floor(now / 1_000 / periodS) + delta
}

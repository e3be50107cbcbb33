import { z } from 'zod'
import { adminSignIn } from './administrators.ts'
import { id, idParams, success, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'
import { admin } from './people.ts'

const service = 'auth'

/** A passkey, or an authenticator app with codes that change with the time. */
export const secondFactorKind = z.enum(['passkey', 'totp'])
export type SecondFactorKind = z.infer<typeof secondFactorKind>

/** Completes a sign-in: one of the second factors, or a recovery code. */
export const secondStepKind = z.enum([...secondFactorKind.options, 'recovery_code'])
export type SecondStepKind = z.infer<typeof secondStepKind>

export const secondFactor = z.object({
  id,
  kind: secondFactorKind,
  /** The name that its owner gave it. */
  name: z.string(),
  added_at: time,
  /** null: never used to sign in. */
  last_used_at: time.nullable(),
})
export type SecondFactor = z.infer<typeof secondFactor>

/** Texts of WebAuthn are binary data in base64url. */
const binary = z
  .string()
  .min(1)
  .max(limits.passkeyAnswerMaxLength)
  .regex(/^[\w-]+$/, 'is not base64url')
const credential = { id: binary, rawId: binary, type: z.literal('public-key') }
/** The extensions of WebAuthn are not used. */
const noExtensions = z.object({}).default({})

/** WebAuthn's RegistrationResponseJSON. */
export const passkeyRegistration = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: binary,
    attestationObject: binary,
    transports: z.array(z.string().max(30)).max(10).optional(),
  }),
  clientExtensionResults: noExtensions,
})

/** WebAuthn's AuthenticationResponseJSON. */
export const passkeyAssertion = z.object({
  ...credential,
  response: z.object({ clientDataJSON: binary, authenticatorData: binary, signature: binary }),
  clientExtensionResults: noExtensions,
})

/** WebAuthn's options for `navigator.credentials`, in their JSON form. */
const passkeyOptions = z.record(z.string(), z.unknown())

/** How to set up a second factor. The secret of an authenticator app is shown this one time. */
export const factorSetup = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('passkey'), options: passkeyOptions }),
  z.object({ kind: z.literal('totp'), secret: z.string(), uri: z.string() }),
])

const code = z.string().min(1).max(40)
const factorName = text(limits.factorNameMaxLength, 1)

/** The proof that a second factor is set up. */
export const newFactor = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('passkey'), name: factorName, response: passkeyRegistration }),
  z.object({ kind: z.literal('totp'), name: factorName, code }),
])
export type NewFactor = z.infer<typeof newFactor>

/** The second step of a sign-in. */
export const secondStep = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('passkey'), response: passkeyAssertion }),
  z.object({ kind: z.literal('totp'), code }),
  z.object({ kind: z.literal('recovery_code'), code }),
])
export type SecondStep = z.infer<typeof secondStep>

/** Recovery codes are shown this one time. Present with the first second factor. */
const recoveryCodes = z.array(z.string())

const password = z.string().min(1).max(limits.passwordMaxLength)

export const getSecondFactors = defineOperation({
  name: 'getSecondFactors',
  service,
  method: 'GET',
  path: '/admin/second-factors',
  callers: ['admin'],
  summary: 'The caller’s own second factors, and how many recovery codes are left.',
  response: z.object({
    sign_in: adminSignIn,
    /** Whether administrators with a password must have one. */
    required: z.boolean(),
    factors: z.array(secondFactor),
    recovery_codes_left: z.number().int(),
  }),
  errors: ['forbidden'],
})

export const beginSecondFactor = defineOperation({
  name: 'beginSecondFactor',
  service,
  method: 'POST',
  path: '/admin/second-factors/begin',
  callers: ['admin'],
  summary:
    'Begins to set up a second factor of the caller, after their password, and if they have one already within ten minutes after the sign-in. A wrong password counts as a failed login.',
  body: z.object({ kind: secondFactorKind, password }),
  response: factorSetup,
  errors: ['forbidden', 'sign_in_again', 'invalid_credentials', 'conflict', 'too_many', 'invalid'],
})

export const addSecondFactor = defineOperation({
  name: 'addSecondFactor',
  service,
  method: 'POST',
  path: '/admin/second-factors',
  callers: ['admin'],
  summary: 'Adds the second factor that was begun in this login session. The first one brings recovery codes.',
  body: newFactor,
  response: z.object({ success: z.literal(true), factor: secondFactor, recovery_codes: recoveryCodes.optional() }),
  status: 201,
  errors: ['forbidden', 'login_expired', 'invalid_second_factor', 'conflict', 'invalid'],
})

export const removeSecondFactor = defineOperation({
  name: 'removeSecondFactor',
  service,
  method: 'DELETE',
  path: '/admin/second-factors/{id}',
  callers: ['admin'],
  summary:
    'Removes one of the caller’s second factors, after their password and within ten minutes after the sign-in. The last one takes the recovery codes with it, and stays where administrators must have one.',
  params: idParams,
  body: z.object({ password }),
  response: success,
  errors: ['forbidden', 'sign_in_again', 'invalid_credentials', 'not_found', 'conflict', 'too_many', 'invalid'],
})

export const replaceRecoveryCodes = defineOperation({
  name: 'replaceRecoveryCodes',
  service,
  method: 'POST',
  path: '/admin/recovery-codes',
  callers: ['admin'],
  summary:
    'Replaces the caller’s recovery codes, after their password and within ten minutes after the sign-in. The earlier ones are no longer valid.',
  body: z.object({ password }),
  response: z.object({ success: z.literal(true), recovery_codes: recoveryCodes }),
  errors: ['forbidden', 'sign_in_again', 'invalid_credentials', 'conflict', 'too_many', 'invalid'],
})

export const beginPasskeyLogin = defineOperation({
  name: 'beginPasskeyLogin',
  service,
  method: 'POST',
  path: '/admin/login/passkey',
  callers: 'anyone',
  summary: 'The challenge for a passkey, after the password of POST /admin/login. It is valid once.',
  body: z.object({}),
  bodyOptional: true,
  response: z.object({ options: passkeyOptions }),
  errors: ['login_expired'],
})

export const completeAdminLogin = defineOperation({
  name: 'completeAdminLogin',
  service,
  method: 'POST',
  path: '/admin/login/second-factor',
  callers: 'anyone',
  summary:
    'Completes a sign-in with a second factor or a recovery code, within five minutes after the password. A wrong one counts as a failed login.',
  body: secondStep,
  response: z.object({ success: z.literal(true), admin }),
  errors: ['login_expired', 'invalid_second_factor', 'too_many', 'invalid'],
})

export const beginFirstFactor = defineOperation({
  name: 'beginFirstFactor',
  service,
  method: 'POST',
  path: '/admin/login/first-factor/begin',
  callers: 'anyone',
  summary:
    'Begins to set up the first second factor of an administrator who must have one, after the password of POST /admin/login.',
  body: z.object({ kind: secondFactorKind }),
  response: factorSetup,
  errors: ['login_expired', 'invalid'],
})

export const addFirstFactor = defineOperation({
  name: 'addFirstFactor',
  service,
  method: 'POST',
  path: '/admin/login/first-factor',
  callers: 'anyone',
  summary: 'Adds the first second factor of an administrator and signs them in.',
  body: newFactor,
  response: z.object({ success: z.literal(true), admin, recovery_codes: recoveryCodes }),
  errors: ['login_expired', 'invalid_second_factor', 'conflict', 'invalid'],
})

import type { CookieNames } from '@watchline/identity/cookies'
import type { ErasureJobs } from '@watchline/identity/erasure-jobs'
import type { TokenSigner, TokenVerifier } from '@watchline/identity/tokens'
import type { Clock } from '@watchline/kit/core/clock'
import type { SecretBox } from '@watchline/kit/core/secret-box'
import type { PictureLoader } from '@watchline/kit/http/picture-loader'
import type { LiveStore } from '@watchline/kit/live/live-store'
import type { RateLimiter } from '@watchline/kit/live/rate-limit'
import type { Outbox } from '@watchline/kit/messaging/outbox'
import type { Logger } from '@watchline/kit/observability/log'
import type { SecurityLog } from '@watchline/kit/observability/security-log'
import type { PasswordHasher } from './actions/hash-password.ts'
import type { IdentityProviders } from './clients/identity-providers.ts'

import type { Passkeys } from './clients/passkeys.ts'
import type { PersonRecords } from './clients/person-records.ts'
import type { AuthConfig } from './config.ts'

import type { SetupTokenAnnouncement } from './jobs/announce-setup-token.ts'
import type { ImportRunner } from './jobs/people-import/import-runner.ts'
import type { DeviceCookies } from './routes/cookies/device-cookies.ts'
import type { LoginStepCookie } from './routes/cookies/login-step-cookie.ts'
import type { RefreshTokens } from './routes/cookies/refresh-tokens.ts'
import type { SignInCookies } from './routes/cookies/sign-in-cookies.ts'
import type { AccountData } from './store/account-data.ts'
import type { AdminInvitationStore } from './store/admin-invitations.ts'
import type { AuditStore } from './store/audit.ts'
import type { ClaimRulesStore } from './store/claim-rules.ts'
import type { CredentialStore } from './store/credentials.ts'
import type { ErasureReceiptStore } from './store/erasure-receipts.ts'
import type { FailedSignInStore } from './store/failed-sign-ins.ts'
import type { FirstAdminStore } from './store/first-admin.ts'
import type { GroupMemberStore } from './store/group-members.ts'
import type { GroupStore } from './store/groups.ts'
import type { ImportStore } from './store/imports.ts'
import type { InvitedPeopleStore } from './store/invited-people.ts'
import type { LogoutTokenStore } from './store/logout-tokens.ts'
import type { MembershipCheckStore } from './store/membership-checks.ts'
import type { PasswordConfirmationStore } from './store/password-confirmations.ts'
import type { PeopleStore } from './store/people.ts'
import type { PeopleDirectory } from './store/people-directory.ts'
import type { RecoveryCodeStore } from './store/recovery-codes.ts'
import type { SecondFactorStore } from './store/second-factors.ts'
import type { SessionStore } from './store/sessions.ts'
import type { SignInClaimsStore } from './store/sign-in-claims.ts'
import type { SignInCodeStore } from './store/sign-in-codes.ts'
import type { SupervisorRequestStore } from './store/supervisor-requests.ts'
import type { TeamStore } from './store/teams.ts'

/** The dependencies of this service's routes and actions. */
export interface AuthContext {
  config: AuthConfig
  clock: Clock
  log: Logger
  security: SecurityLog
  outbox: Outbox
  live: LiveStore
  rateLimiter: RateLimiter

  people: PeopleStore
  directory: PeopleDirectory
  teams: TeamStore
  requests: SupervisorRequestStore
  invited: InvitedPeopleStore
  imports: ImportStore
  importRunner: ImportRunner
  groups: GroupStore
  groupMembers: GroupMemberStore
  membershipChecks: MembershipCheckStore
  /** Wakes the job that keeps groups up to date. Call it after the commit. */
  wakeGroupUpdates: () => void
  firstAdmin: FirstAdminStore
  setupTokenAnnouncement: SetupTokenAnnouncement
  adminInvitations: AdminInvitationStore
  credentials: CredentialStore
  passwords: PasswordHasher
  passwordConfirmations: PasswordConfirmationStore
  secondFactors: SecondFactorStore
  recoveryCodes: RecoveryCodeStore
  passkeys: Passkeys
  /** Encrypts the secrets of authenticator apps. */
  secretBox: SecretBox
  /** Encrypts refresh tokens of sign-in providers. */
  providerTokenBox: SecretBox
  loginStepCookie: LoginStepCookie
  audit: AuditStore
  accountData: AccountData
  receipts: ErasureReceiptStore
  erasureJobs: ErasureJobs
  failedSignIns: FailedSignInStore
  isDatabaseResponding(): Promise<boolean>
  personRecords: PersonRecords

  providers: IdentityProviders
  claimRules: ClaimRulesStore
  signInClaims: SignInClaimsStore
  pictures: PictureLoader
  signInCodes: SignInCodeStore
  logoutTokens: LogoutTokenStore
  signInCookies: SignInCookies
  deviceCookies: DeviceCookies
  sessions: SessionStore
  signer: TokenSigner
  tokens: TokenVerifier
  refreshTokens: RefreshTokens
  cookies: CookieNames
}

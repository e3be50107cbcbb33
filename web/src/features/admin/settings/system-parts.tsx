import type { getSystemStatus } from '@watchline/contracts/auth'
import { limits } from '@watchline/contracts/limits'
import type { getMailStatus } from '@watchline/contracts/mail'
import type { ResponseOf } from '@watchline/contracts/operation'
import type { getVideoDataStatus } from '@watchline/contracts/playlist-imports'
import type { ReactNode } from 'react'
import { explainFailure, type Failure } from '../../../api/failure.ts'

/**
 * good: nothing to do; attention: works but needs the administrator; bad: broken; unknown: no
 * answer.
 */
export type Condition = 'good' | 'attention' | 'bad' | 'unknown' | 'asking'

/** The content of a part's card: its condition in a word, the meaning, and what to do. */
export interface PartStatus {
  condition: Condition
  word: string
  meaning?: ReactNode
  todo?: ReactNode
}

/** The latest answer, or the failure. */
export interface QueryResult<T> {
  data?: T
  failure?: Failure
}

const checkingStatus: PartStatus = { condition: 'asking', word: 'Checking…' }

export function videoDataStatus({ data, failure }: QueryResult<ResponseOf<typeof getVideoDataStatus>>): PartStatus {
  if (failure) return unknownStatus(failure)
  if (!data) return checkingStatus
  if (data.status === 'active')
    return { condition: 'good', word: 'Active', meaning: 'Playlists can be imported and shared from YouTube.' }
  return {
    condition: 'attention',
    word: 'Not configured',
    meaning: 'Playlists cannot be imported or shared from YouTube. Videos can still be added manually.',
    todo: (
      <>
        Set <code>YOUTUBE_API_KEY</code> to a key of the YouTube Data API and restart Watchline.
      </>
    ),
  }
}

type SystemStatus = QueryResult<ResponseOf<typeof getSystemStatus>>

export function databaseStatus({ data, failure }: SystemStatus): PartStatus {
  if (failure && !isUnavailable(failure)) return unknownStatus(failure)
  if (!failure && !data) return checkingStatus
  if (!failure && data?.database === 'connected')
    return { condition: 'good', word: 'Connected', meaning: 'MongoDB answers and stores all data.' }
  return {
    condition: 'bad',
    word: 'Disconnected',
    meaning: 'MongoDB does not answer. Until it does, nothing new can be saved.',
    todo: (
      <>
        Check that MongoDB is running and that <code>MONGO_URL</code> leads to it. Watchline reconnects automatically.
      </>
    ),
  }
}

export function authenticationStatus({ data, failure }: SystemStatus): PartStatus {
  if (failure && isUnavailable(failure) && failure.code !== 'network')
    return {
      ...unknownStatus(failure),
      meaning: 'Only the sign-in service knows this status, and it needs the database.',
    }
  if (failure) return unknownStatus(failure)
  if (!data) return checkingStatus
  const { status, provider } = data.authentication
  if (status === 'active') return { condition: 'good', word: 'Active', meaning: `People sign in with ${provider}.` }
  return {
    condition: 'attention',
    word: 'Needs Update',
    meaning: `People sign in with ${provider}. This provider is for trials only: anybody can sign in as anybody.`,
    todo: (
      <>
        Set <code>OIDC_ISSUER</code>, <code>OIDC_CLIENT_ID</code> and <code>OIDC_CLIENT_SECRET</code> as your sign-in
        provider says, <code>PUBLIC_URL</code> to the address people open, and restart Watchline.
      </>
    ),
  }
}

/** Older failures stay in the list below, but need nobody any more. */
const newFailureMs = 7 * 24 * 3_600_000

export function mailStatus({ data, failure }: QueryResult<ResponseOf<typeof getMailStatus>>): PartStatus {
  if (failure) return unknownStatus(failure)
  if (!data) return checkingStatus
  if (!data.is_available)
    return {
      condition: 'attention',
      word: 'Not configured',
      meaning: 'Nobody gets mails. Reminders are shown in Watchline only.',
      todo: (
        <>
          Set <code>SMTP_URL</code> to your mail server and <code>MAIL_FROM</code> to the sender, and restart Watchline.
        </>
      ),
    }
  const { latest_failures, bounces, from } = data
  const hasNewFailure = latest_failures.some(({ created_at }) => Date.now() - Date.parse(created_at) < newFailureMs)
  if (!hasNewFailure && bounces.length === 0)
    return { condition: 'good', word: 'Active', meaning: `Mails are sent from ${from}.` }
  return {
    condition: 'attention',
    word: 'Active',
    meaning: `Mails are sent from ${from}. Some did not reach their people.`,
    todo: 'Look at the addresses and answers under “Mails” below.',
  }
}

/** No answer in time, or an answer that a dependency is down or too slow. */
function isUnavailable({ status, code }: Failure): boolean {
  return [502, 503, 504].includes(status) || code === 'timeout' || code === 'network'
}

function unknownStatus(failure: Failure): PartStatus {
  return {
    condition: 'unknown',
    word: 'Not known',
    meaning: `This could not be checked: ${reasonOf(failure)}`,
    todo: 'Checking again automatically.',
  }
}

function reasonOf(failure: Failure): string {
  const { code } = failure
  if (code === 'timeout') return `no answer came within ${limits.systemStatusTimeoutMs / 1_000} seconds.`
  if (code === 'network') return 'Watchline could not be reached.'
  return explainFailure(failure)
}

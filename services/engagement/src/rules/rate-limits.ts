import { limits } from '@watchline/contracts/limits'

/** New and edited comments of one person: each asks a supervisor for an answer. */
export const commentLimit = {
  max: limits.commentRateLimit,
  windowMs: limits.commentRateWindowMs,
  detail: 'You have written very many comments in a short time. Please wait some minutes, then try again.',
}

/** Documents that anybody verifies, by network: codes cannot be tried one after the other. */
export const verificationLimit = {
  max: limits.verificationsPerMinute,
  windowMs: 60_000,
  detail: 'Too many documents were verified from your network. Please wait a minute, then try again.',
}

/** Files of one person: each reads everything that they may see. */
export const exportLimit = {
  max: limits.exportRateLimit,
  windowMs: limits.exportRateWindowMs,
  detail: 'You have made very many files in a short time. Please wait some minutes, then try again.',
}

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

/** Saved reports that one person creates or changes: each schedule makes mails. */
export const savedReportLimit = {
  max: limits.savedReportRateLimit,
  windowMs: limits.savedReportRateWindowMs,
  detail: 'You have saved reports very often in a short time. Please wait an hour, then try again.',
}

/** Sendings by hand of one person: each is a mail to every recipient. */
export const savedReportSendingLimit = {
  max: limits.savedReportSendingRateLimit,
  windowMs: limits.savedReportRateWindowMs,
  detail: `You have sent ${limits.savedReportSendingRateLimit} reports within an hour. Please wait, then try again.`,
}

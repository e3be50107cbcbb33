import { limits } from '@watchline/contracts/limits'

/** New playlists and imports of one person. */
export const playlistLimit = {
  max: limits.playlistRateLimit,
  windowMs: limits.playlistRateWindowMs,
  detail: 'You have made very many playlists in a short time. Please wait an hour, then try again.',
}

/** Reports of one person that a video does not play: each may cost a call of YouTube. */
export const reportLimit = { max: limits.unavailableReportLimit, windowMs: limits.unavailableReportWindowMs }

export const personVideoDataLimit = {
  max: limits.videoDataCallsPerPerson,
  windowMs: limits.videoDataWindowMs,
  detail: 'You have read very much from YouTube today. Please try again tomorrow.',
}

export const organisationVideoDataLimit = {
  max: limits.videoDataCallsPerOrganisation,
  windowMs: limits.videoDataWindowMs,
  detail: 'Your organisation has read as much from YouTube as one day permits. Please try again tomorrow.',
}

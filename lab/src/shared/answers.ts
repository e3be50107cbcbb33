export const isAcknowledged = (status: number) => status >= 200 && status < 300

/**
 * Without a decision: no answer (0), the rate limit, or a server error. The call may be sent again.
 */
export const isUndecided = (status: number) => status === 0 || status === 429 || status >= 500
